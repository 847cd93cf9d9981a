#!/usr/bin/env bash
# Makes the site of the documents in build/site, and fails where a link, an anchor or a picture is dead. MkDocs is installed in
# build/site_venv. Arguments go to mkdocs: docs/site/build.sh serve shows the site and follows changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if [[ ! -x build/site_venv/bin/mkdocs ]]; then
  python3 -m venv build/site_venv
  build/site_venv/bin/pip install --quiet --disable-pip-version-check 'mkdocs-material>=9.6'
fi
if (($# == 0)); then set -- build --strict; fi
exec build/site_venv/bin/mkdocs "$1" --config-file docs/site/mkdocs.yml "${@:2}"
