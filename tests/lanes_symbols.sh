#!/usr/bin/env bash
# lanes_symbols.sh OBJECT...: what is compiled for processors with AVX2 or AVX-512 keeps that to itself. Of an inline function that
# several objects have (a weak symbol) the linker takes any one, which every processor must be able to run.
set -euo pipefail

declare -A wide=()
for object in "$@"; do
  weak="$(nm "$object" | awk '$2 ~ /^[WVu]$/ {print $3}')"
  found="$(objdump -d --no-show-raw-insn "$object" | awk -v names="$weak" '
    BEGIN { n = split(names, list, "\n"); for (k = 1; k <= n; ++k) weak[list[k]] = 1 }
    /^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); next }
    $2 ~ /^v[a-z]/ && name in weak { print name ": " $2 }
    match($0, /%[yz]mm/) && !(name in weak) { wide[substr($0, RSTART, 4)] = 1 }
    END { for (registers in wide) print "uses " registers }')"
  for registers in %ymm %zmm; do
    ! grep -qx "uses $registers" <<< "$found" || wide[$registers]=1
  done
  beyond="$(grep -v "^uses " <<< "$found" || true)"
  if [[ -n "$beyond" ]]; then
    printf '%s: instructions beyond the baseline in functions that others may be given:\n' "$object" >&2
    sort <<< "$beyond" | uniq -c >&2
    exit 1
  fi
done
((${#wide[@]} == 2)) || { printf 'no object has any of %%ymm (AVX2) or of %%zmm (AVX-512); found: %s\n' "${!wide[*]}" >&2; exit 1; }
