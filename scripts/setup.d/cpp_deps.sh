# C++ libraries that the build includes or compiles: xsimd, and for the tests Catch2 and nlohmann-json. Where there is
# no apt, CMake finds or fetches them itself. Sourced by scripts/setup.

cpp_deps_dir=$cache/cpp-deps-1

has_cpp_deps() {
  has_apt && { [ "$os_id" = ubuntu ] || version_at_least "$os_version" 12; }
}

install_cpp_deps() {
  has_cpp_deps || return 0
  folder_is_whole "$cpp_deps_dir" && return 0
  begin_changes
  folder_is_whole "$cpp_deps_dir" && return 0
  step "getting xsimd, Catch2 and nlohmann-json into $cpp_deps_dir" make_cpp_deps "$work/cpp-deps"
  list_files "$work/cpp-deps" >"$work/manifest"
  mv "$work/manifest" "$work/cpp-deps/manifest"
  put_in_place "$work/cpp-deps" "$cpp_deps_dir"
}

# Headers in folders of their own, not /usr/include: a cross compiler must not see the system's headers.
make_cpp_deps() {
  local dir=$1 root=$work/root
  mkdir -p "$dir"/{xsimd,nlohmann-json}/include "$dir/catch2" "$work/catch2"
  fetch_debs "$root" libxsimd-dev nlohmann-json3-dev
  mv "$root/usr/include/xsimd" "$dir/xsimd/include/"
  mv "$root/usr/include/nlohmann" "$dir/nlohmann-json/include/"
  rm -r "$root"
  # Catch2 as source: it is built natively and for WebAssembly.
  (cd "$work/catch2" && private_apt source --download-only catch2)
  tar -xzf "$work"/catch2/catch2_*.orig.tar.gz -C "$dir/catch2" --strip-components=1 --exclude='*/tests' --exclude='*/docs'
}

print_env_cpp_deps() {
  has_cpp_deps || return 0
  printf 'export XSIMD_INCLUDE_DIR=%q\n' "$cpp_deps_dir/xsimd/include"
  printf 'export CATCH2_SOURCE_DIR=%q\n' "$cpp_deps_dir/catch2"
  printf 'export NLOHMANN_JSON_INCLUDE_DIR=%q\n' "$cpp_deps_dir/nlohmann-json/include"
}
