# Emscripten: the one on PATH if it is new enough, else the system's package, else (Debian 12) a private copy.
# Sourced by scripts/setup.

emscripten_wanted=3.1.69
emscripten_root=       # the folder that holds emcc.py and cmake/
emscripten_private=no  # is it the private copy?
# Another recipe, another name: an old copy is never taken for a new one.
emscripten_dir=$cache/emscripten-$emscripten_wanted-1

# Sets emscripten_root if an emcc on PATH will do. The copies in our cache are not looked at here.
find_emscripten() {
  local emcc root version
  emcc=$(command -v emcc || true)
  case "$emcc" in '' | "$cache"/*) return 0 ;; esac
  root=$(dirname "$(readlink -f "$emcc")")
  # Distributions put a small wrapper on PATH; em-config knows the real place.
  if [ ! -f "$root/emscripten-version.txt" ]; then root=$("$(dirname "$emcc")/em-config" EMSCRIPTEN_ROOT 2>/dev/null || true); fi
  version=$(tr -d '"\n' 2>/dev/null <"$root/emscripten-version.txt" || true)
  if [ -n "$version" ] && version_at_least "${version%%-*}" "$emscripten_wanted"; then
    emscripten_root=$root
  fi
}

install_emscripten() {
  [ -z "$emscripten_root" ] || return 0
  local release="$os_id ${os_version%%.*}"
  if ! has_apt; then
    release=other
  elif [ "$os_id" = debian ] && version_at_least "$os_version" 13; then
    release=new
  elif [ "$os_id" = ubuntu ] && version_at_least "$os_version" 25.04; then
    release=new
  fi
  case "$release" in
    new)
      apt_install emscripten
      find_emscripten
      [ -n "$emscripten_root" ] || die "The package emscripten of this system is older than $emscripten_wanted."
      ;;
    'debian 12')
      install_emscripten_privately
      ;;
    *)
      die "Emscripten $emscripten_wanted or newer is needed: see https://emscripten.org/docs/getting_started/downloads.html" \
        'Put its emcc on PATH (emsdk: source emsdk_env.sh), have g++, cmake and ninja too, and run this again.'
      ;;
  esac
}

# Debian 12 has LLVM 19, which Emscripten 3.1.69 needs, but not that Emscripten. The one of Debian 13 runs here if its
# Binaryen (WebAssembly optimiser) gets the C library it was built with; the rest is Python and JavaScript.
install_emscripten_privately() {
  emscripten_private=yes
  emscripten_root=$emscripten_dir/emscripten
  local missing
  missing=$({
    packages_missing clang-19 lld-19 llvm-19
    tools_missing clang-19=clang-19 wasm-ld-19=lld-19 llvm-ar-19=llvm-19
  } | sort -u | tr '\n' ' ')
  if [ -n "$missing" ]; then apt_install $missing; fi

  folder_is_whole "$emscripten_dir" && return 0
  begin_changes
  folder_is_whole "$emscripten_dir" && return 0
  step "getting Emscripten $emscripten_wanted into $emscripten_dir (250 MB to download)" make_emscripten "$work/emscripten"
  step 'trying it out' try_emscripten "$work/emscripten"
  list_files "$work/emscripten" >"$work/manifest"
  mv "$work/manifest" "$work/emscripten/manifest"
  put_in_place "$work/emscripten" "$emscripten_dir"
}

# The folder holds no absolute path to itself, so it can be tried before it gets its final name.
make_emscripten() {
  local dir=$1 root=$work/root tool
  fetch_debs "$root" emscripten binaryen libc6 libstdc++6 libgcc-s1 node-acorn
  mkdir -p "$dir"/binaryen/{bin,lib,libexec} "$dir/emscripten/node_modules"

  # tar, not mv: it leaves out the Emscripten tests, texts, and most of 1.5 GB of ready-made system libraries (threads,
  # position-independent code, sanitizers, OpenGL). Emscripten makes a library that is not there when it needs it.
  tar -C "$root/usr/share/emscripten" -c \
    --exclude=./test --exclude=./docs --exclude=./media --exclude=./out --exclude='./ChangeLog*' --exclude=./.emscripten \
    --exclude='*/lib/wasm32-emscripten/pic' --exclude='*/lib/wasm32-emscripten/lto-pic' \
    --exclude='*/lib*-mt[-.]*' --exclude='*/lib*-ww[-.]*' --exclude='*/lib*asan*.a' --exclude='*/lib*san_*.a' \
    --exclude='*/libsanitizer_*.a' --exclude='*/libwasmfs*.a' --exclude='*/libwebgpu*.a' \
    --exclude='*/libGL-emu*.a' --exclude='*/libGL-*ofb*.a' --exclude='*/libGL-*webgl2*.a' --exclude='*/libGL-*full_es3*.a' \
    . | tar -C "$dir/emscripten" -x
  # The JavaScript optimiser imports acorn.
  mv "$root/usr/share/nodejs/acorn" "$dir/emscripten/node_modules/acorn"

  mv "$root"/usr/bin/wasm* "$dir/binaryen/libexec/"
  rm "$dir"/binaryen/libexec/wasm-{fuzz-lattices,fuzz-types,reduce,shell}
  cp -L "$root"/usr/lib/*-linux-gnu/{ld-linux-*.so.*,libbinaryen.so,libc.so.6,libm.so.6,libgcc_s.so.1,libstdc++.so.6} "$dir/binaryen/lib/"
  for tool in "$dir"/binaryen/libexec/*; do
    cat >"$dir/binaryen/bin/$(basename "$tool")" <<'WRAPPER'
#!/bin/sh
# Starts the tool with the C library it was built for, not the system's older one.
here=${0%/*}/..
exec "$here"/lib/ld-linux-*.so.* --library-path "$here/lib" "$here/libexec/${0##*/}" "$@"
WRAPPER
  done
  chmod +x "$dir"/binaryen/bin/*

  cat >"$dir/emscripten.config" <<'CONFIG'
import os
import shutil

LLVM_ROOT = '/usr/bin'
LLVM_ADD_VERSION = '19'
CLANG_ADD_VERSION = '19'
BINARYEN_ROOT = os.path.join(os.path.dirname(os.environ['EM_CONFIG']), 'binaryen')
NODE_JS = shutil.which('node')
CONFIG
  rm -r "$root"
}

# Compiles, links and runs a program that uses what the real one uses: exceptions, SIMD, Embind.
try_emscripten() {
  local dir=$1
  mkdir "$work/try"
  cat >"$work/try/try.cpp" <<'CPP'
#include <emscripten/bind.h>
#include <wasm_simd128.h>
#include <stdexcept>
#include <string>
float half(float x) {
  try {
    if (x < 0) throw std::invalid_argument("negative");
    return wasm_f32x4_extract_lane(wasm_f32x4_mul(wasm_f32x4_splat(x), wasm_f32x4_splat(0.5F)), 0);
  } catch (const std::exception& error) {
    return static_cast<float>(std::string(error.what()).size());
  }
}
EMSCRIPTEN_BINDINGS(try_out) { emscripten::function("half", &half); }
CPP
  (
    export EM_CONFIG=$dir/emscripten.config EM_CACHE=$dir/emscripten/cache EMSDK_PYTHON=/usr/bin/python3
    "$dir/emscripten/em++" -O2 -fwasm-exceptions -msimd128 -lembind -sMODULARIZE -sEXPORT_NAME=load "$work/try/try.cpp" -o "$work/try/try.cjs"
    "$dir/emscripten/emcc" --version
  )
  node -e 'require(process.argv[1])().then((m) => process.exit(m.half(5) === 2.5 && m.half(-1) === 8 ? 0 : 1))' "$work/try/try.cjs"
}

print_env_emscripten() {
  if [ "$emscripten_private" = yes ]; then
    printf 'export EM_CONFIG=%q\n' "$emscripten_dir/emscripten.config"
    # Libraries that are not there yet are made at the first link that needs them, for all clones.
    printf 'export EM_CACHE=%q\n' "$emscripten_root/cache"
    printf 'export EMSDK_PYTHON=/usr/bin/python3\n'
  fi
  printf 'export EMSCRIPTEN_ROOT=%q\n' "$emscripten_root"
  local bin=$emscripten_root
  if [ "$emscripten_private" = no ]; then bin=$(dirname "$(command -v emcc)"); fi
  printf 'case ":$PATH:" in *:%q:*) ;; *) export PATH=%q:"$PATH" ;; esac\n' "$bin" "$bin"
}
