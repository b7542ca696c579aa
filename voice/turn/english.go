package turn

import "slices"

// englishAcknowledgements returns what shows that somebody listens: words of their own, that it was understood, that the other may
// go on, and judgements of what was said.
func englishAcknowledgements() []string {
	return slices.Concat(plainEnglish(), englishJudgements(),
		framed([]string{"oh i didn't know ", "oh i never knew ", "oh i had no idea ", "oh i didn't realise ",
			"oh i didn't realize ",
			"i can imagine ", "i can see "}, "", "that", "it", "this"),
		framed([]string{"i understand ", "i see ", "i get ", "i hear ", "i follow ", "i appreciate ",
			"i know ", "i remember ", "i noticed ", "i heard ", "i realise ", "i realize "},
			"", "it", "that", "this", "you", "what you mean", "what you're saying", "where you're coming from", "your point",
			"the idea", "the problem"),
		framed([]string{"i agree ", "i'm glad ", "i'm happy ", "i'm pleased ", "glad ", "happy ", "good ", "nice ", "great ",
			"pleased "},
			"with that", "with you", "to hear", "to hear that", "to hear it", "to know", "about that"),
		framed([]string{"makes ", "that makes "}, "sense", "perfect sense", "total sense", "a lot of sense"),
		framed([]string{"that "}, "helps", "works", "clarifies it", "explains it", "explains a lot"),
		framed([]string{"you're ", "you are "}, "right", "correct", "welcome", "very kind", "too kind", "very helpful", "so kind",
			"so helpful", "kind", "a star", "an angel", "a lifesaver"),
		framed([]string{"that's what i ", "it's what i ", "just what i ", "exactly what i "}, "thought", "figured", "expected", "hoped",
			"guessed", "heard", "assumed", "imagined", "suspected"),
		framed([]string{"yes ", "sure "}, "go on", "go ahead", "continue", "carry on", "proceed"),
	)
}

// englishJudgements returns those of what was said, in the frames in which they stand.
func englishJudgements() []string {
	return slices.Concat(
		framed([]string{"", "that's ", "that is ", "sounds ", "that sounds ", "very ", "really ", "that's very ", "oh how ",
			"seems ",
			"that seems ", "that'd be ", "that would be ", "that'll be ", "it's ", "it is ", "it sounds ",
			"that's so ", "that's pretty ", "would be ", "looks ", "that looks ", "all "},
			"good", "great", "fine", "nice", "lovely", "wonderful", "perfect", "excellent", "fantastic", "brilliant",
			"amazing", "awesome", "interesting", "clear", "true", "right", "correct", "fair", "helpful", "kind", "okay",
			"funny", "strange", "sad", "neat", "cool", "useful", "impressive", "reasonable", "logical", "terrific",
			"super", "beautiful", "handy", "splendid", "well", "understandable", "reassuring", "sensible", "generous",
			"convenient", "surprising", "unfortunate", "better", "easy", "simple", "sweet", "thoughtful", "exciting", "promising",
			"manageable", "doable", "acceptable", "alright", "all right", "appreciated", "delightful", "marvellous", "ideal",
			"smart", "clever", "superb", "phenomenal", "tremendous", "grand", "decent", "sorted"),
		framed([]string{"that's ", "that is ", "sounds like ", "that sounds like "}, "a relief", "a shame", "a pity",
			"a good idea",
			"a great idea", "a good point", "a fair point", "a good plan", "a fair price", "a good price", "good news",
			"great news",
			"new to me", "news to me", "what i thought", "what i expected", "what i wanted to hear",
			"what i needed to know"),
		framed(framed([]string{"", "that's a ", "that is a ", "it's a ", "sounds like a ", "that sounds like a ",
			"seems like a "},
			"good ", "great ", "nice ", "fair ", "lovely ", "clever ", "wonderful ", "excellent ", "helpful ", "sensible ",
			"brilliant "),
			"idea", "plan", "point", "price", "tip", "thought", "choice", "deal", "start", "solution", "service", "question",
			"offer",
			"suggestion", "news", "surprise", "thing"),
		framed([]string{"that's ", "that is ", "it's "}, "not bad", "not bad at all", "not a bad idea", "not a bad price",
			"not a bad deal",
			"not a problem", "not an issue", "not so bad", "no problem", "no trouble", "no big deal", "no issue"),
	)
}

// plainEnglish returns those with which no others are made.
func plainEnglish() []string {
	return []string{
		"i understand", "i see", "i got it", "i hear you", "i'm listening", "i'm with you", "okay", "ok", "okey",
		"ok then", "okay then", "sure", "alright", "got it", "understood", "yeah", "yes", "uh-huh", "mm-hmm", "mm",
		"mmm", "hmm", "gotcha", "got you", "got that", "got ya", "mhmm", "mhm", "ah", "oh", "ooh", "aah", "of course", "go on", "go ahead", "carry on",
		"thanks", "thank you", "thank you very much", "thank you so much", "thanks a lot", "thanks a bunch", "thanks a million",
		"very well", "wow", "really",
		"exactly", "absolutely", "definitely", "indeed", "certainly", "precisely", "totally", "naturally", "clearly",
		"obviously", "surely", "fair enough", "fair point", "good point", "i know", "i agree", "i get it", "i get that",
		"i follow", "i guess so", "i hope so", "yep", "yup", "aha", "uh", "huh", "hm", "um-hum", "ha",
		"haha", "no worries", "makes sense", "that makes sense", "good to know", "good to hear", "nice to hear",
		"glad to hear that", "fine by me", "works for me", "that works", "that will do", "that helps", "noted",
		"goodness", "oh dear", "all right", "all good", "all clear", "you're right", "appreciate it", "quite",
		"quite so", "quite right", "likewise", "no problem", "no problem at all", "no bother",
		"not a problem", "not bad", "good idea", "great idea", "good plan", "good choice", "good news", "great news",
		"great stuff",
		"fine with me", "okay with me", "okay by me", "i'm fine with that", "i like that", "love it", "i bet", "i thought so",
		"will do", "please do", "you bet", "for sure",
		"no doubt", "copy that", "true that", "right you are", "fair dos", "same here", "me too", "cheers", "righto", "aye",
		"smashing", "mkay", "sure thing", "okie dokie", "okey dokey", "yes indeed", "still here",
		"i figured", "i imagine", "i suppose", "i suppose so", "i believe so", "i believe you", "i gathered", "i expected that",
		"point taken", "continue", "proceed", "keep going", "message received", "roger", "roger that", "deal", "agreed",
		"granted",
		"by all means", "not at all", "good thinking", "good call", "good job", "nice one", "no rush", "no hurry",
		"no objection", "no objections", "no kidding", "too bad", "phew", "gosh", "oh my goodness", "aw",
		"aww", "ooh", "hooray", "yay", "as i thought", "as i expected", "i'm all ears", "i'm following",
		"consider it done", "done", "correct", "affirmative", "that's it", "that's right", "right", "many thanks",
		"much appreciated", "that's all right", "no trouble", "no trouble at all", "sounds like it",
		"sounds about right", "sounds like a plan", "helps a lot", "that helps a lot", "would be great", "that would be great",
		"that would be fine",
		"that would be lovely", "that would be good", "that'll do", "as expected",
	}
}

// englishTails returns what stands behind an acknowledgement and changes nothing of it: "all right then".
func englishTails() []string {
	return []string{
		"then", "thing", "thanks", "thank you", "to know", "to hear", "to hear that", "for me", "by me", "with me", "for us", "enough",
		"indeed",
		"to me", "with us", "for now", "of course", "so far", "so much", "very much", "again",
		"for that", "for this", "for letting me know", "for telling me", "for explaining", "for explaining that", "for checking",
		"for the information", "for the explanation", "for your help", "about that", "what you mean", "on that",
		"anyway", "mate", "love", "dear", "sir", "madam", "man", "yes", "now", "too", "all of it",
	}
}
