# Node and node_modules. Sourced by scripts/setup.

check_node() {
  has node && has npm || die 'Node.js is needed, with npm: 20.19 or newer, see https://nodejs.org/'
  local version
  version=$(node -p process.versions.node)
  version_at_least "$version" 20.19.0 || die "Node.js 20.19 or newer is needed, this is $version."
}

# The stamp is a copy of the lock file that node_modules was made from; npm's own list says which folders must exist.
node_modules_ok() {
  cmp -s package-lock.json node_modules/.posenc-stamp || return 1
  local folder
  while read -r folder; do
    [ -d "$folder" ] || return 1
  done < <(sed -n 's/^    "\(node_modules[^"]*\)": {$/\1/p' node_modules/.package-lock.json)
}

install_node_modules() {
  [ -f package-lock.json ] || die 'package-lock.json is missing: get it back with git, or make it with npm install.'
  node_modules_ok && return 0
  begin_changes
  node_modules_ok && return 0
  step 'installing node_modules' npm ci --no-audit --no-fund
  cp package-lock.json node_modules/.posenc-stamp
}
