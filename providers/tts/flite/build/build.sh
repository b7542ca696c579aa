#!/usr/bin/env bash
# Makes flite.wasm.gz, in the folder above, of Flite's sources; README.md says from where they come and with what.
# Usage: build.sh flite_2.2.orig.tar.gz
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here sum=ab1555fe5adc3f99f1d4a1a0eb1596d329fd6d74f1464a0097c81f53c0cf9e5c
(($# == 1)) || { sed -n 's/^# Usage/usage/p' "${BASH_SOURCE[0]}" >&2 && exit 2; }
sha256sum --check --status <<<"$sum  $1" || { echo "$1 is not Debian's flite_2.2.orig.tar.gz" >&2 && exit 1; }

work=$(mktemp -d)
readonly work
trap 'rm -rf "$work"' EXIT
tar -xzf "$1" -C "$work" --strip-components=1
cd "$work"

# The language, its lexicon and the two voices. Left out are programs, files that others include, and other systems' parts.
mapfile -t files < <(ls src/{cg,hrg,lexicon,regex,speech,stats,synth,utils,wavesynth}/*.c lang/{usenglish,cmulex,cmu_us_kal,cmu_us_slt}/*.c |
	grep -vE '_main\.c|cst_lts_build|cst_socket|cst_mmap_|cst_file_(wince|palmos)|_win|cmu_lex_(data_raw|entries_huff_table|num_bytes|phones_huff)')
readonly files

clang --target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -L/usr/lib/wasm32-wasi -I"$here/shim" -O2 -w \
	-DCST_NO_SOCKETS -DCST_AUDIO_NONE -Iinclude -Ilang/usenglish -Ilang/cmulex -Isrc/cg \
	-Wl,--wrap=cst_safe_alloc -Wl,--strip-all \
	"${files[@]}" src/utils/cst_mmap_none.c src/audio/au_streaming.c "$here/flite.c" -o flite.wasm
gzip -9 --no-name --stdout flite.wasm >"$here/../flite.wasm.gz"
sha256sum flite.wasm
