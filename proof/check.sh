#!/bin/sh
# Compiles the proof. Fails if a step is unproved, if a definition or a statement is not as in statements.txt,
# or if a statement rests on an axiom that is not under the standard library's real numbers.
#   ./check.sh           check
#   ./check.sh --print   print the definitions and statements, to renew statements.txt after a change that is meant
#   BUILT=folder ./check.sh   keep what was compiled there, and compile only what follows a change
# Needs: apt-get install -y --no-install-recommends coq libcoq-stdlib
set -eu
export LC_ALL=C
cd "$(dirname "$0")"
here=$(pwd)
files="Privacy Tree Game ClockPotential Clocks Renyi Growth Covering Filter BoundedRange LocalSearch Reserves Scores Selection Check"

fail() { echo "FAILED: $1" >&2; exit 1; }

if grep -nwE 'Admitted|admit|give_up|Abort|Axiom|Axioms|Parameter|Parameters|Conjecture|bypass_check|Unset' ./*.v; then
  fail "an unproved step or a forbidden word"
fi
if grep -nE 'Notation *"|Infix|Coercion|Canonical' ./*.v; then fail "a symbol of its own"; fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cp ./*.v "$out"
cd "$out"

sed -n 's/^Check @\([^ .]*\)\.$/\1/p' Check.v | sort > listed
sed -n 's/^ *Theorem \([^ .]*\).*/\1/p' ./*.v | sort > theorems
[ -z "$(comm -13 listed theorems)" ] || fail "not listed in Check.v: $(comm -13 listed theorems | paste -sd' ')"
if [ "${1:-}" != --print ]; then
  sed -n 's/^@\([^ .]*\)$/\1/p' "$here/statements.txt" | sort > kept
  cmp -s kept listed || fail "Check.v and statements.txt do not list the same: $(comm -3 kept listed | paste -sd' ')"
fi
before=
for file in $files; do
  before="$before $file.v"
  kept="${BUILT:-}/$(cat $before | sha256sum | cut -c1-32)"  # a file is what it and all files before it are
  if [ -n "${BUILT:-}" ] && [ -d "$kept" ]; then
    cp "$kept/$file".* .
    continue
  fi
  coqc -q -Q . DP "$file.v" > "$file.log" || fail "$file.v does not compile"
  if [ -n "${BUILT:-}" ]; then mkdir -p "$kept" && cp "$file.vo" "$file.log" "$kept"; fi
done

# What Check.v printed, without the lines on how arguments are read.
awk '/^Arguments / { skip = 1; next }
     skip && /^  / { next }
     /^@|^Record/ { print "" }
     { skip = 0; sub(/ +$/, ""); print }' Check.log | cat -s > statements.txt
if [ "${1:-}" = --print ]; then
  cat statements.txt
  exit
fi
tr -s ' \n' ' ' < statements.txt > got
tr -s ' \n' ' ' < "$here/statements.txt" > want
if ! cmp -s want got; then
  diff "$here/statements.txt" statements.txt >&2 || true
  fail "a definition or a statement is not as in statements.txt"
fi

# Nothing that is listed rests on more than the standard library's axioms.
{
  echo "From DP Require Import $files."
  echo "Definition everything := (@$(paste -sd, listed | sed 's/,/, @/g'),"
  echo "  $(sed -n 's/^Example \([^ .]*\).*/\1/p' Check.v | paste -sd,))."
  echo "Print Assumptions everything."
} > Assumptions.v
coqc -q -Q . DP Assumptions.v > Assumptions.log || fail "cannot list the axioms"
grep -vE '^( |Axioms:|$)' Assumptions.log | sed 's/ *:.*//; s/.*\.//' | sort -u > axioms
printf '%s\n' classic functional_extensionality_dep sig_forall_dec sig_not_dec > allowed
[ -s axioms ] && [ -z "$(comm -23 axioms allowed)" ] || { cat Assumptions.log >&2; fail "other axioms"; }
echo "ok: $(grep -c . listed) statements proved, Coq $(coqc --print-version | cut -d' ' -f1), axioms: $(paste -sd' ' axioms)"
