#!/usr/bin/env bash
# Installs a Debian package of echo-sweep into a bare Debian 12 and runs a sweep there as an ordinary user, alone and by
# mpirun. Needs root, debootstrap and a mirror that the apt sources of this machine name; 77 where one of them is missing.
# usage: tests/package_test.sh PACKAGE.deb [FOLDER_TO_KEEP_THE_SYSTEM_IN]
set -euo pipefail
package=$(realpath "${1:?a package, as cpack -G DEB makes it}")
skip() { echo "SKIPPED: $1"; exit 77; }
((EUID == 0)) || skip "debootstrap and chroot need root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
root=${2:-$(mktemp -d)}
finish() {
  for folder in dev/shm sys proc; do umount "$root/$folder" 2>/dev/null || true; done
  [[ -n ${kept:-} ]] || rm -rf --one-file-system "$root"
}
kept=${2:-}
trap finish EXIT

if [[ ! -e $root/etc/debian_version ]]; then
  mirror=$(grep -ohE '^(URIs:|deb ).*https?://[^ ]+/debian\b' /etc/apt/sources.list /etc/apt/sources.list.d/*.{sources,list} \
    2>/dev/null | grep -oE 'https?://.*' | head -n 1 || true)
  debootstrap --variant=minbase bookworm "$root" "${mirror:-http://deb.debian.org/debian}" >/dev/null 2>&1 ||
    { tail "$root/debootstrap/debootstrap.log"; skip "debootstrap failed"; }
fi
chmod 755 "$root"  # an ordinary user's / too
rm -f "$root/etc/apt/sources.list"
cp -r /etc/apt/sources.list* /etc/apt/apt.conf.d "$root/etc/apt/" 2>/dev/null || true
cp /etc/resolv.conf /etc/hosts "$root/etc/"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"  # Open MPI asks it for the cores
mkdir -p "$root/dev/shm" && mount -t tmpfs tmpfs "$root/dev/shm"
inside() { chroot "$root" env -i ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
cp "$package" "$root/srv/echo-sweep.deb"
inside apt-get -q update
inside apt-get -q -y install --no-install-recommends /srv/echo-sweep.deb
cp "$(dirname "$0")/mpi/tiny.toml" "$root/srv/"
inside id sweeper >/dev/null 2>&1 || inside useradd --create-home sweeper

cat >"$root/srv/as_user.sh" <<'USER'
set -euo pipefail
cd "$HOME"
rm -rf try && mkdir try && cd try
export OMPI_MCA_rmaps_base_oversubscribe=1
echo-sweep --version
echo-sweep doctor
echo-sweep presets show gpt3-13b | grep -F 'from /usr/share/echo-sweep/catalog/models/gpt3-13b.toml'
set -x
echo-sweep check /usr/share/echo-sweep/sweeps/gpt3-175b-96xh800.toml >/dev/null
echo-sweep /srv/tiny.toml --progress none -o alone.h5 >alone
mpirun -n 2 echo-sweep /srv/tiny.toml --progress none -o two.h5 >two
[[ $(grep -c rows_digest alone) == 1 ]]
diff <(grep rows_digest alone) <(grep rows_digest two)
echo-sweep top two.h5 -n 2
ECHO_CATALOG_DIR=/nowhere echo-sweep presets list && exit 1 || [[ $? == 2 ]]
USER
inside su - sweeper -c 'bash /srv/as_user.sh'
inside apt-get -q -y install --no-install-recommends python3-h5py python3-numpy
inside su - sweeper -c 'cd try && echo-sweep-results top alone.h5 -n 1 && python3 -c "import echo_sweep; print(echo_sweep.__version__)"'
inside apt-get -q -y remove echo-sweep
[[ ! -e $root/usr/share/echo-sweep && ! -e $root/usr/bin/echo-sweep ]] || { echo "not all of it was removed"; exit 1; }
echo "the package installs, runs as a user and is removed"
