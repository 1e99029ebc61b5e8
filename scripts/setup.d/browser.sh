# Chromium and a font with Chinese characters, for the browser tests. Sourced by scripts/setup.

find_browser() {
  local name
  for name in "${POSENC_CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable \
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'; do
    if [ -n "$name" ] && has "$name"; then
      command -v "$name"
      return
    fi
  done
}

install_browser() {
  [ "$purpose" = test ] || return 0
  local browser missing=
  browser=$(find_browser)
  if [ "$os_id" = debian ]; then
    # A browser from anywhere else will do; Debian's own must be there as a whole package.
    if [ -z "$browser" ] || [ "$browser" = /usr/bin/chromium ]; then missing=$(packages_missing chromium); fi
  elif [ -z "$browser" ]; then
    die 'The browser tests need Chromium or Chrome.' 'Install one, or set POSENC_CHROMIUM to its program, and run this again.'
  fi
  if has_apt; then missing="$missing $(packages_missing fonts-noto-cjk)"; fi
  if [ -n "${missing// /}" ]; then apt_install $missing; fi
}

print_env_browser() {
  local browser
  browser=$(find_browser)
  if [ -n "$browser" ]; then printf 'export POSENC_CHROMIUM=%q\n' "$browser"; fi
}
