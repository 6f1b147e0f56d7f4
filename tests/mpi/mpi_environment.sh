# Sourced, once arguments are absolute paths: lets Open MPI run as root, with more workers than cores, and yield while it
# waits; goes to a folder of its own, $folder, which is removed at the end.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader OMPI_MCA_orte_abort_print_stack=0
# Open MPI's own files: where all launches share them, one that ends removes a folder that another is about to use.
folder=$(mktemp -d) OMPI_MCA_orte_tmpdir_base=$(mktemp -d)
export OMPI_MCA_orte_tmpdir_base
trap 'rm -rf "$folder" "$OMPI_MCA_orte_tmpdir_base"' EXIT
cd "$folder"

fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
