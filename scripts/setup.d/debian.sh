# Packages of Debian and Ubuntu. Sourced by scripts/setup.

os_id=$(. /etc/os-release 2>/dev/null && echo "${ID:-}" || true)
os_version=$(. /etc/os-release 2>/dev/null && echo "${VERSION_ID:-99}" || true)  # Debian testing has no number
os_codename=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}" || true)

has_apt() { has apt-get && { [ "$os_id" = debian ] || [ "$os_id" = ubuntu ]; }; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# packages_missing NAME...: prints those that are not installed and configured.
packages_missing() {
  local installed name
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' "$@" 2>/dev/null | sed -n 's/ ii *$//p' || true)
  for name in "$@"; do
    grep -qxF "$name" <<<"$installed" || echo "$name"
  done
}

# apt_install PACKAGE...: also repairs an installation that was interrupted, or whose files were deleted.
apt_install() {
  if [ "$(id -u)" != 0 ]; then
    has sudo || die 'Packages are missing, and there is no sudo to install them. Run this as root, then scripts/setup again:' \
      "  apt-get install --no-install-recommends $*"
    sudo true # asks for the password here: the step below has no terminal
  fi
  begin_changes
  step "installing $* with apt" apt_install_quietly "$@"
}
apt_install_quietly() {
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3)
  as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a
  # A broken source of somebody else's need not stop us; what is really missing shows in the next line.
  as_root "${apt[@]}" update || true
  as_root "${apt[@]}" install --no-install-recommends --reinstall "$@"
}

# tools_missing COMMAND=PACKAGE...: prints the packages of the commands that are not on PATH.
tools_missing() {
  local pair
  for pair in "$@"; do
    has "${pair%%=*}" || echo "${pair#*=}"
  done
}

install_build_tools() {
  local tools=(g++=g++ cmake=cmake ninja=ninja-build python3=python3) missing
  if [ "$purpose" = test ]; then tools+=(clang-format=clang-format); fi
  missing=$(tools_missing "${tools[@]}" | tr '\n' ' ')
  [ -n "$missing" ] || return 0
  has_apt || die "These tools are missing: $missing" "Install them (g++ 12 or newer, cmake 3.25 or newer) and run this again."
  apt_install $missing
}

# Packages of another release are fetched, not installed, with package lists of our own: the machine's sources and
# libraries stay as they are.
private_apt() {
  apt-get -o Dir::Etc::SourceList="$work/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$work/apt/lists" -o Dir::Cache="$work/apt/cache" \
    -o APT::Sandbox::User="$(id -un)" -o APT::Update::Error-Mode=any -o Acquire::Retries=3 "$@"
}
private_apt_prepare() {
  [ ! -d "$work/apt" ] || return 0
  mkdir -p "$work"/apt/{lists,cache/archives}/partial
  local suite=$os_codename components=main mirror
  if [ "$os_id $os_version" = 'debian 12' ]; then suite=trixie; fi
  if [ "$os_id" = ubuntu ]; then components='main universe'; fi
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null | grep -v '^ *#' |
    grep -oE "https?://[^ ]+/$os_id/?( |\$)" | sed -n '1s#[/ ]*$##p' || true)
  case "$os_id" in
    debian) mirror=${mirror:-http://deb.debian.org/debian} ;;
    ubuntu) mirror=${mirror:-http://archive.ubuntu.com/ubuntu} ;;
  esac
  for kind in deb deb-src; do
    echo "$kind [signed-by=/usr/share/keyrings/$os_id-archive-keyring.gpg] $mirror $suite $components"
  done >"$work/apt/sources.list"
  private_apt update
}
# fetch_debs FOLDER PACKAGE...: downloads and unpacks packages below FOLDER, without installing them.
fetch_debs() {
  local folder=$1 deb
  shift
  private_apt_prepare
  mkdir -p "$work/debs" "$folder"
  (cd "$work/debs" && private_apt download "$@")
  for deb in "$work"/debs/*.deb; do dpkg -x "$deb" "$folder"; done
  rm -r "$work/debs"
}
