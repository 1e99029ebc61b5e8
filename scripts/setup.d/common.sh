# Messages, long steps, temporary files and the lock. Sourced by scripts/setup.

say() { printf 'setup: %s\n' "$*"; }
die() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# version_at_least 3.1.74 3.1.69
version_at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }

work=    # folder for half-made things, on the same file system as their final place; made by begin_changes
log=     # output of the steps
ticker=  # process that prints dots while a step runs

on_exit() {
  local status=$?
  if [ -n "$ticker" ]; then
    kill "$ticker" 2>/dev/null || true
    if [ "$status" -gt 128 ]; then
      printf '\nsetup: stopped\n' >&2
    else
      printf '\nsetup: that failed. The end of its output:\n' >&2
      tail -n 25 "$log" >&2
    fi
  fi
  if [ -n "$work" ]; then rm -rf "$work"; fi
}
trap on_exit EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Call before the first change. One set-up at a time may change things; what a killed one left behind is removed.
# After waiting for the lock, callers look again whether there is still something to do.
begin_changes() {
  [ -z "$work" ] || return 0
  mkdir -p "$cache"
  if has flock; then
    exec 9>"$cache/lock"
    flock -n 9 || { say 'waiting for another set-up to finish' && flock 9; }
    rm -rf "$cache"/work.*
  fi
  work=$(mktemp -d "$cache/work.XXXXXX")
  log=$work/log
}

# step TITLE COMMAND...: runs a long command quietly, with a sign of life. The command is not part of a condition, so
# that `set -e` holds inside it: a failing step ends the set-up and shows its output.
step() {
  local title=$1 start=$SECONDS
  shift
  printf 'setup: %s ' "$title"
  while sleep 2 && kill -0 $$ 2>/dev/null; do printf .; done 9>&- &
  ticker=$!
  : >"$log"
  (set -e; "$@") >>"$log" 2>&1 </dev/null
  kill "$ticker"
  wait "$ticker" 2>/dev/null || true
  ticker=
  printf ' %s s\n' $((SECONDS - start))
}

# put_in_place FOLDER DESTINATION: a finished folder appears under its final name in one go, so that whoever sees the
# name sees a whole folder; a broken one that was there is taken away.
put_in_place() {
  if [ -e "$2" ]; then mv "$2" "$work/old.$(basename "$2")"; fi
  mv "$1" "$2"
}

# A manifest lists the size and name of each file of a finished folder; folder_is_whole compares. Files may be added
# later, and what Emscripten keeps (and can make anew) in its cache does not count.
list_files() {
  (cd "$1" && find . \( -name __pycache__ -o -path ./emscripten/cache/symbol_lists -o -path ./emscripten/cache/sysroot/lib \) -prune \
    -o -type f ! -name manifest ! -name '*.lock' -printf '%s %p\n' | LC_ALL=C sort)
}
folder_is_whole() { [ -s "$1/manifest" ] && [ -z "$(list_files "$1" | LC_ALL=C comm -23 "$1/manifest" -)" ]; }

write_env() {
  mkdir -p build
  local new
  new=$(
    echo '# Written by scripts/setup. Source it: it puts emcc on PATH and says where things are.'
    print_env_emscripten
    print_env_cpp_deps
    print_env_browser
    # Emscripten needs TypeScript's compiler on PATH to write .d.ts files.
    printf 'case ":$PATH:" in *:%q:*) ;; *) export PATH=%q:"$PATH" ;; esac\n' "$PWD/node_modules/.bin" "$PWD/node_modules/.bin"
  )
  if [ "$(cat build/env.sh 2>/dev/null)" != "$new" ]; then
    printf '%s\n' "$new" >build/env.sh.new
    mv build/env.sh.new build/env.sh
  fi
}
