// Program flite reads lines of text from its standard input and writes their speech to its standard output, while it makes it:
// signed 16-bit little-endian mono samples at the rate of the voice that its argument names, kal (8 kHz) or slt (16 kHz).
// Every line is one utterance. The program ends early when nobody takes its output, and when Flite gives up.
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "flite.h"

cst_voice *register_cmu_us_kal(const char *voxdir);
cst_voice *register_cmu_us_slt(const char *voxdir);

enum {
	MAX_LINE = 4096,
	CHUNK = 640,          // samples: 80 ms of kal, 40 ms of slt
	ALLOCS_PER_YIELD = 64 // about a millisecond
};

void *__real_cst_safe_alloc(int size);

// The linker puts this in place of Flite's allocator, which it calls all the time. A host cannot interrupt compiled
// WebAssembly, so it is asked often: it may have to stop the program, or to stop the world for its garbage collector.
void *__wrap_cst_safe_alloc(int size)
{
	static unsigned allocs;
	if (++allocs % ALLOCS_PER_YIELD == 0)
		sched_yield();
	return __real_cst_safe_alloc(size);
}

static int write_samples(const cst_wave *wave, int start, int size, int last, cst_audio_streaming_info *info)
{
	const char *data = (const char *)(wave->samples + start);
	size_t left = size * sizeof(short);
	while (left > 0) {
		ssize_t written = write(STDOUT_FILENO, data, left);
		if (written < 0)
			return CST_AUDIO_STREAM_STOP;
		data += written;
		left -= written;
	}
	return CST_AUDIO_STREAM_CONT;
}

static cst_voice *find_voice(const char *name)
{
	if (strcmp(name, "kal") == 0)
		return register_cmu_us_kal(NULL);
	if (strcmp(name, "slt") == 0)
		return register_cmu_us_slt(NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	static char line[MAX_LINE];
	flite_init();
	cst_voice *voice = argc == 2 ? find_voice(argv[1]) : NULL;
	if (!voice) {
		fputs("usage: flite kal|slt\n", stderr);
		return 2;
	}
	cst_audio_streaming_info *info = new_audio_streaming_info();
	info->min_buffsize = CHUNK;
	info->asc = write_samples;
	feat_set(voice->features, "streaming_info", audio_streaming_info_val(info));
	while (fgets(line, sizeof line, stdin)) {
		cst_utterance *utterance = flite_synth_text(line, voice);
		if (!utterance || feat_present(utterance->features, "Interrupted"))
			return 1;
		delete_utterance(utterance);
	}
	return ferror(stdin) ? 1 : 0;
}
