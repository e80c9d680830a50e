# What packages of every system share; read by package.sh and cross.sh, in the root of the tree.

# The version without the commit: "conch 0.1.0 (1a2b3c4d)" is 0.1.0.
version_of() { "$1" --version | cut -d' ' -f2; }

papers() { # papers PROGRAM LIBRARY FOLDER: the library, and what must be told about the program and it
  cp "$2" LICENSE "$3/"
  "$1" licenses >"$3/NOTICES"
}

pack() { # pack PARENT NAME ARCHIVE: the same files give the same archive
  tar --sort=name --mtime=@"$(git log -1 --format=%ct)" --owner=0 --group=0 --numeric-owner -C "$1" -c "$2" | gzip -9n >"$3"
}
