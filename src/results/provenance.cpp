#include "results/provenance.hpp"

#include <numeric>
#include <string>
#include <vector>

namespace echo::results {
namespace {

using storage::ElementType;
using storage::Hdf5File;

// A one-dimensional integer dataset along `scale` (its own when empty).
template <class T>
void write_column(Hdf5File& file, const std::string& path, ElementType type, const std::vector<T>& values,
                  const char* long_name, const std::string& scale) {
  file.make_dataset({path, type, {values.size()}, {}});
  file.write_rows(path, 0, values.size(), values.data());
  file.set_attribute(path, "units", "1");
  file.set_attribute(path, "long_name", long_name);
  if (scale.empty())
    file.make_scale(path);
  else
    file.attach_scale(path, 0, scale);
}

void write_words(Hdf5File& file, const std::string& path, const std::vector<std::string>& words,
                 const char* long_name, const std::string& scale) {
  file.make_texts(path, words);
  file.set_attribute(path, "long_name", long_name);
  file.attach_scale(path, 0, scale);
}

// Projects a list of structs onto one member.
template <class List, class Member>
auto column_of(const List& list, Member member) {
  std::vector<std::remove_cvref_t<decltype(list.front().*member)>> values;
  for (const auto& item : list) values.push_back(item.*member);
  return values;
}

void write_inputs(Hdf5File& file, const std::vector<InputFile>& inputs) {
  if (inputs.empty()) return;
  file.make_group("/provenance/inputs");
  std::vector<std::int32_t> numbers(inputs.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::string scale = "/provenance/inputs/input";
  write_column(file, scale, ElementType::i4, numbers, "number of the file", "");
  write_words(file, "/provenance/inputs/name", column_of(inputs, &InputFile::name), "preset or role", scale);
  write_words(file, "/provenance/inputs/path", column_of(inputs, &InputFile::path), "where it was read",
              scale);
  write_words(file, "/provenance/inputs/hash", column_of(inputs, &InputFile::hash), "XXH3-128 of its bytes",
              scale);
}

void write_launches(Hdf5File& file, const std::vector<Launch>& launches) {
  if (launches.empty()) return;
  file.make_group("/provenance/runs");
  const std::string scale = "/provenance/runs/run";
  write_column(file, scale, ElementType::i4, column_of(launches, &Launch::number), "number of the launch",
               "");
  write_column(file, "/provenance/runs/workers", ElementType::i4, column_of(launches, &Launch::workers),
               "MPI processes", scale);
  write_column(file, "/provenance/runs/points", ElementType::i8, column_of(launches, &Launch::points),
               "points finished and kept", scale);
  write_words(file, "/provenance/runs/start", column_of(launches, &Launch::start), "start, UTC", scale);
  write_words(file, "/provenance/runs/end", column_of(launches, &Launch::end), "end, UTC; empty when killed",
              scale);
  write_words(file, "/provenance/runs/stop_reason", column_of(launches, &Launch::stop_reason), "why it ended",
              scale);
}

void make_points(Hdf5File& file, std::uint64_t rows) {
  file.make_group("/provenance/points");
  struct Planned {
    const char *path, *units, *long_name;
    ElementType type;
  };
  for (const Planned& planned :
       {Planned{"/provenance/points/seconds", "s", "wall time of simulating this point", ElementType::f4},
        Planned{"/provenance/points/worker", "1", "MPI process that did it", ElementType::i4},
        Planned{"/provenance/points/launch", "1", "launch that did it", ElementType::i4}}) {
    file.make_dataset(
        {planned.path, planned.type, {rows}, rows == 0 ? storage::Shape{} : storage::Shape{rows}});
    file.set_attribute(planned.path, "units", planned.units);
    file.set_attribute(planned.path, "long_name", planned.long_name);
    file.attach_scale(planned.path, 0, "/config");
  }
}

}  // namespace

void write_provenance(Hdf5File& file, const Provenance& p, std::uint64_t rows) {
  const std::string here = "/provenance";
  file.make_group(here);
  file.set_attribute(here, "program", p.program);
  file.set_attribute(here, "version", p.version);
  file.set_attribute(here, "git_commit", p.git_commit);
  file.set_attribute(here, "compiler", p.compiler);
  file.set_attribute(here, "build_type", p.build_type);
  file.set_attribute(here, "mpi", p.mpi);
  file.set_attribute(here, "hdf5", storage::hdf5_version());
  file.set_attribute(here, "host", p.host);
  file.set_attribute(here, "command", p.command);
  file.make_text(here + "/sweep_toml", p.sweep_toml);
  file.make_text(here + "/resolved_toml", p.resolved_toml);
  write_inputs(file, p.inputs);
  write_launches(file, p.launches);
  make_points(file, rows);
}

void write_points(Hdf5File& file, std::span<const FinishedRow> rows, std::uint64_t first) {
  std::vector<float> seconds;
  std::vector<std::int32_t> workers, launches;
  for (const FinishedRow& row : rows) {
    seconds.push_back(static_cast<float>(row.row.seconds));
    workers.push_back(row.worker);
    launches.push_back(row.launch);
  }
  file.write_rows("/provenance/points/seconds", first, rows.size(), seconds.data());
  file.write_rows("/provenance/points/worker", first, rows.size(), workers.data());
  file.write_rows("/provenance/points/launch", first, rows.size(), launches.data());
}

}  // namespace echo::results
