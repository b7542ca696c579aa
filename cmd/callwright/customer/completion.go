package customer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// scripts have a shell ask this program what a command line goes on with.
var scripts = map[string]string{
	"bash": `_callwright() {
  local IFS=$'\n'
  COMPREPLY=($(callwright complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _callwright callwright
`,
	"zsh": `#compdef callwright
_callwright() {
  local -a found
  found=("${(@f)$(callwright complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${found[1]}" ]]; then compadd -- "${found[@]}"; else _files; fi
}
compdef _callwright callwright
`,
	"fish": `complete -c callwright -a '(callwright complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
}

// completion prints a shell's script.
type completion struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run implements the command.
func (c *completion) Run(k *kong.Kong) error {
	_, err := fmt.Fprint(k.Stdout, scripts[c.Shell])
	return err
}

// completeCommand prints what the last of the words may become, a candidate on each line.
type completeCommand struct {
	Words []string `arg:"" optional:""`
}

// Run implements the command.
func (c *completeCommand) Run(k *kong.Kong) error {
	if len(c.Words) == 0 {
		c.Words = []string{""}
	}
	for _, candidate := range complete(k.Model.Node, c.Words) {
		if _, err := fmt.Fprintln(k.Stdout, candidate); err != nil {
			return err
		}
	}
	return nil
}

// complete returns what the last word may become after those before it.
func complete(node *kong.Node, words []string) []string {
	last := words[len(words)-1]
	var valued *kong.Flag // whose value the next word is
	for _, word := range words[:len(words)-1] {
		switch {
		case valued != nil:
			valued = nil
		case strings.HasPrefix(word, "-"):
			valued = takesValue(node, word)
		default:
			if child := childOf(node, word); child != nil {
				node = child
			}
		}
	}
	var candidates []string
	switch {
	case valued != nil:
		candidates = wordsOf(valued)
	case strings.HasPrefix(last, "-"):
		candidates = flagsOf(node)
	default:
		for _, child := range node.Children {
			if !child.Hidden {
				candidates = append(candidates, child.Name)
			}
		}
	}
	return slices.DeleteFunc(candidates, func(one string) bool { return !strings.HasPrefix(one, last) })
}

// takesValue returns the flag whose value follows as a word of its own, or nil.
func takesValue(node *kong.Node, word string) *kong.Flag {
	for _, level := range node.AllFlags(true) {
		for _, flag := range level {
			if word == "--"+flag.Name && !flag.IsBool() {
				return flag
			}
		}
	}
	return nil
}

func flagsOf(node *kong.Node) []string {
	var found []string
	for _, level := range node.AllFlags(true) {
		for _, flag := range level {
			found = append(found, "--"+flag.Name)
		}
	}
	return found
}

// wordsOf returns the words of an enumeration.
func wordsOf(flag *kong.Flag) []string {
	if own, ok := flag.Mapper.(mapper); ok {
		return slices.Clone(own.Enum)
	}
	if flag.Enum == "" {
		return nil
	}
	return flag.EnumSlice()
}
