# What packages of every system share; read by package.sh and cross.sh, in the root of the tree.
out=build/packages
mkdir -p "$out"

# The version without the commit: "conch 0.1.0 (1a2b3c4d)" is 0.1.0.
version_of() { "$1" --version | cut -d' ' -f2; }

papers() { # papers PROGRAM LIBRARY FOLDER: the library, and what must be told about the program and it
  cp "$2" LICENSE "$3/"
  "$1" licenses >"$3/NOTICES"
}

# Everything but the program itself; $2 is what /usr/share is in a package.
share() { # share PROGRAM FOLDER
  mkdir -p "$2/man/man1"
  "$1" man | gzip -9n >"$2/man/man1/conch.1.gz"
}

pack() { # pack PARENT NAME ARCHIVE: the same files give the same archive
  local made; made=$(git log -1 --format=%ct)
  case $3 in
    *.zip)
      find "$1/$2" -exec touch -d "@$made" {} +
      local to; to=$(realpath "$3")
      rm -f "$to"
      (cd "$1" && TZ=UTC python3 -m zipfile -c "$to" "$2")
      ;;
    *) tar --sort=name --mtime=@"$made" --owner=0 --group=0 --numeric-owner -C "$1" -c "$2" | gzip -9n >"$3" ;;
  esac
}

list() { # list FILE…: tells the packages that were made, and writes the sums of all
  (cd "$out" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS)
  echo "packages, in $out:"; (cd "$out" && ls -sh --block-size=M -- "$@")
}
