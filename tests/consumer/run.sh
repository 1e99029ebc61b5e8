#!/usr/bin/env bash
# Uses posenc as other projects do: installed with CMake, as a CMake subdirectory, packed with npm. Needs a built dist/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
. build/env.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# check TITLE COMMAND...: one test.
check() {
  local title=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    echo "ok: $title"
    passed=$((passed + 1))
  else
    echo "FAILED: $title"
    cat "$work/log"
    failed=$((failed + 1))
  fi
}

build() { # build BINARY_DIR CMAKE_ARGUMENTS...
  local folder=$1
  shift
  cmake -S tests/consumer/cpp -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" && cmake --build "$folder"
}
install_library() {
  cmake -S . -B "$work/library" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPOSENC_BUILD_TESTS=OFF -DPOSENC_BUILD_TOOLS=OFF &&
    cmake --build "$work/library" && cmake --install "$work/library" --prefix "$work/prefix"
}
no_private_headers() { ! find "$work/prefix" -name 'kernels.hpp' -o -name 'define.hpp' | grep .; }
same_output() { "$work/$1/consumer" >"$work/$1.txt" && diff "$work/npm.txt" "$work/$1.txt"; }

pack() { # an empty project with the packed package in it
  npm pack --silent --pack-destination "$work" >"$work/name" && mkdir "$work/npm" && cp tests/consumer/{consumer,reader}.mjs tests/consumer/types.mts "$work/npm/" &&
    (cd "$work/npm" && echo '{"type":"module"}' >package.json && npm install --silent --no-audit --no-fund "$work/$(cat "$work/name")")
}
only_dist() { ! tar -tzf "$work/$(cat "$work/name")" | grep -vE '^package/(dist/|package.json|README.md|LICENSE)'; }
run_npm() { (cd "$work/npm" && node consumer.mjs >"$work/npm.txt" && grep -q 'encoding must be one of' "$work/npm.txt"); }
run_cjs() { (cd "$work/npm" && node -e "import('posenc').then(({ load }) => load()).then(({ version }) => console.log(version))"); }
run_reader() { (cd "$work/npm" && node reader.mjs); }
run_command() { (cd "$work/npm" && echo '{"head_dim":8,"rope_theta":10000}' | npx --no-install posenc config - | grep -q 'theta 10000'); }
types() { # types MODULE RESOLUTION
  cat >"$work/npm/tsconfig.json" <<CONFIG
{ "compilerOptions": { "strict": true, "exactOptionalPropertyTypes": true, "noEmit": true, "types": [],
  "target": "es2022", "lib": ["es2023", "dom", "esnext.disposable"],
  "module": "$1", "moduleResolution": "$2" }, "files": ["types.mts"] }
CONFIG
  "$root/node_modules/.bin/tsc" -p "$work/npm"
}

check 'npm pack installs into an empty project' pack
check 'the package holds what it should and nothing else' only_dist
check 'import from an ES module' run_npm
check 'import() from CommonJS' run_cjs
check 'a reader of the package answers, and another is trained' run_reader
check 'npx posenc config' run_command
check 'types under node16' types node16 node16
check 'types under nodenext' types nodenext nodenext
check 'types under a bundler' types esnext bundler
check 'publint' node_modules/.bin/publint --strict
check 'are the types wrong?' node_modules/.bin/attw --pack . --profile esm-only --exclude-entrypoints posenc.wasm posenc_models.wasm

check 'cmake --install' install_library
check 'private headers stay private' no_private_headers
check 'find_package(posenc)' build "$work/installed" -DCMAKE_PREFIX_PATH="$work/prefix"
check 'the installed library gives the numbers of the npm package' same_output installed
check 'add_subdirectory(posenc)' build "$work/subdirectory" -DPOSENC_SOURCE_DIR="$root"
check 'the subdirectory gives the numbers of the npm package' same_output subdirectory

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
