#!/usr/bin/env bash
# avx512_symbols.sh OBJECT...: what is compiled for processors with AVX-512 keeps that to itself. Of an inline function that several
# objects have (a weak symbol) the linker takes any one, which every processor must be able to run.
set -euo pipefail

avx512=0
for object in "$@"; do
  weak="$(nm "$object" | awk '$2 ~ /^[WVu]$/ {print $3}')"
  found="$(objdump -d --no-show-raw-insn "$object" | awk -v names="$weak" '
    BEGIN { n = split(names, list, "\n"); for (k = 1; k <= n; ++k) weak[list[k]] = 1 }
    /^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); next }
    $2 ~ /^v[a-z]/ && name in weak { print name ": " $2 }
    /%zmm/ && !(name in weak) { wide = 1 }
    END { if (wide) print "wide" }')"
  if grep -qx wide <<< "$found"; then
    avx512=1
  fi
  beyond="$(grep -vx wide <<< "$found" || true)"
  if [[ -n "$beyond" ]]; then
    printf '%s: instructions beyond the baseline in functions that others may be given:\n' "$object" >&2
    sort <<< "$beyond" | uniq -c >&2
    exit 1
  fi
done
((avx512)) || { printf 'no object has any AVX-512 at all\n' >&2; exit 1; }
