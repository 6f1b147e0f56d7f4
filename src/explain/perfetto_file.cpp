#include "explain/perfetto_file.hpp"

#include <zlib.h>

#include <utility>

#include "base/error.hpp"

namespace echo::explain {

static gzFile handle(void* compressed) { return static_cast<gzFile>(compressed); }

TraceFile::TraceFile(const std::filesystem::path& path) : path_(path) {
  if (path.extension() == ".gz") {
    compressed_ = gzopen(path.c_str(), "wb6");
  } else {
    plain_ = std::fopen(path.c_str(), "wb");
  }
  if (compressed_ == nullptr && plain_ == nullptr) refuse();
}

TraceFile::~TraceFile() {
  if (compressed_ != nullptr) gzclose(handle(compressed_));
  if (plain_ != nullptr) std::fclose(plain_);
}

void TraceFile::refuse() const {
  throw UserError("cannot write \"" + path_.string() + "\"",
                  "check that the folder exists and that the disk has free space", 5);
}

void TraceFile::write(std::string_view text) {
  if (text.empty()) return;
  const bool whole = compressed_ != nullptr
                         ? gzwrite(handle(compressed_), text.data(), static_cast<unsigned>(text.size())) > 0
                         : std::fwrite(text.data(), 1, text.size(), plain_) == text.size();
  if (!whole) refuse();
}

void TraceFile::close() {
  const bool closed = compressed_ != nullptr ? gzclose(handle(std::exchange(compressed_, nullptr))) == Z_OK
                                             : std::fclose(std::exchange(plain_, nullptr)) == 0;
  if (!closed) refuse();
}

}  // namespace echo::explain
