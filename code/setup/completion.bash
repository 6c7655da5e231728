# Completion for `lab` in bash, and in zsh behind `autoload bashcompinit; bashcompinit`: source this file.
# Commands, experiments, and for `lab query NAME` the series, measures and constants of the experiment.
_lab_complete() {
  local word=${COMP_WORDS[COMP_CWORD]} lab=${COMP_WORDS[0]} command=${COMP_WORDS[1]} words
  case $COMP_CWORD:$command in
    1:*) words=$("$lab" --help | sed -n 's/^  \([a-z-]\{2,\}\) .*/\1/p') ;;
    2:*) words=$(cd experiments 2>/dev/null && ls *.toml | sed 's/[.]toml$//') ;;
    *:query) words=$("$lab" query "${COMP_WORDS[2]}" --names 2>/dev/null) ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _lab_complete lab .venv/bin/lab
