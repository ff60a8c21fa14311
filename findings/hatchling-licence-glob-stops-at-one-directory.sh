#!/bin/sh
# Guess: in license-files, ** stands for directories of any depth, and a pattern that matches no file ends the build, as
# PEP 639 demands of both. What happens: hatchling takes ** for one directory, and leaves the files above and below out
# of the wheel without a word; setuptools has all of them. Both build a wheel without a licence for a pattern that
# matches nothing. Whoever ships licences of included libraries checks the wheel, not the exit code.
# Versions: hatchling 1.33.0, setuptools 84.2.1, Python 3.11. Source: PEP 639, "Add license-files key".
set -eu

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
cd "$made"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check hatchling==1.33.0 setuptools==84.2.1 packaging

# project BACKEND PATTERN: a package with a licence file at depths 0 to 3, whose metadata name them by a pattern.
project() {
  rm -rf work
  mkdir -p work/demo work/third/a/b/c work/out
  : >work/demo/__init__.py
  for place in third third/a third/a/b third/a/b/c; do echo "terms of $place" >"work/$place/LICENCE"; done
  cat >work/pyproject.toml <<END
[build-system]
requires = []
build-backend = "$1"
[project]
name = "demo"
version = "1"
license = "MIT"
license-files = ["$2"]
[tool.setuptools]
packages = ["demo"]
END
}

# licences: builds a wheel, and prints its licence files, or that the build failed.
licences() {
  if (cd work && ../env/bin/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w out . >log 2>&1); then
    env/bin/python -c '
import glob, zipfile
names = zipfile.ZipFile(glob.glob("work/out/*.whl")[0]).namelist()
found = sorted(n.split("/licenses/")[1] for n in names if "/licenses/" in n and not n.endswith("/"))
print(" ".join(found) or "none")'
  else
    echo "the build failed"
  fi
}

echo "tested: $(env/bin/pip list --disable-pip-version-check 2>/dev/null | grep -E "^(hatchling|setuptools) " | tr -s " " | paste -sd, -)"
seen=
for backend in hatchling.build setuptools.build_meta; do
  for pattern in 'third/**/LICENCE' 'nothing/*'; do
    project "$backend" "$pattern"
    result=$(licences)
    echo "seen: $backend, $pattern: $result"
    seen="$seen$result;"
  done
done
[ "$seen" = "third/a/LICENCE;none;third/LICENCE third/a/LICENCE third/a/b/LICENCE third/a/b/c/LICENCE;none;" ]
