// Makes digest and seal of a table right again after someone changed it, so that only its rows can refuse it.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "storage/hdf5.hpp"
#include "storage/seal.hpp"
#include "storage/table_schema.hpp"

namespace echo::testing {

inline void add_text(Digest& digest, const std::string& text) {
  digest.add(std::as_bytes(std::span(text.c_str(), text.size() + 1)));
}

// As hdf5_schemas/README.md says it is computed.
inline std::string digest_of(const storage::Hdf5File& file, const storage::TableSchema& schema) {
  Digest digest;
  for (const storage::TableColumn& column : schema.columns) {
    const std::string path = std::string("/") + column.name;
    const std::uint64_t rows = file.shape(path).front();
    std::vector<std::byte> bytes(rows * storage::size_of(column.type));
    file.read_rows(path, 0, rows, bytes.data());
    digest.add(bytes);
    add_text(digest, column.is_coded() ? file.text_attribute(path, "flag_meanings") : "");
  }
  for (const storage::TextGroup& group : schema.groups) {
    std::vector<std::vector<std::string>> texts;
    for (const std::string_view text : group.texts)
      texts.push_back(file.texts(std::string("/") + group.name + "/" + std::string(text)));
    for (std::size_t record = 0; record < texts.front().size(); ++record)
      for (const auto& all : texts) add_text(digest, all[record]);
  }
  return digest.hex();
}

// Precondition: not sealed, or sealed before the change: HDF5 drops a seal when it writes.
inline void redigest(const std::filesystem::path& path, const storage::TableSchema& schema) {
  {
    storage::Hdf5File file(path, storage::Hdf5File::Mode::update);
    file.set_attribute("/", "digest", digest_of(file, schema));
    file.close();
  }
  storage::seal(path);
}

}  // namespace echo::testing
