#!/bin/sh
# The passwords of docker-compose.yml, made once: secrets.sh [FOLDER]
# The folder is its owner's alone; the files are read by the containers' users.
set -eu
folder=${1:-$(cd "$(dirname "$0")" && pwd)/secrets}
[ -s "$folder/fuseki" ] && [ -s "$folder/askonto.toml" ] && exit 0
mkdir -p "$folder"
chmod 700 "$folder"
password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf 'store_password = "%s"\n' "$password" >"$folder/askonto.toml"
printf 'askonto: %s\n' "$password" >"$folder/fuseki"
chmod 644 "$folder/askonto.toml" "$folder/fuseki"
