#include "trace_io/io/text_sink.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace echo::trace_io {

TextSink::TextSink(const std::string& path) : path_(path) {
  file_.reset(gzopen(path.c_str(), path.ends_with(".gz") ? "wb6" : "wbT"));
  if (file_ == nullptr) refuse();
  gzbuffer(file_.get(), 1 << 17);
}

void TextSink::put(std::string_view text) {
  constexpr std::size_t at_once = std::size_t{1} << 24;
  for (; !text.empty(); text.remove_prefix(std::min(at_once, text.size()))) {
    const auto part = static_cast<unsigned>(std::min(at_once, text.size()));
    if (gzwrite(file_.get(), text.data(), part) != static_cast<int>(part)) refuse();
  }
}

void TextSink::finish() {
  if (gzclose(file_.release()) != Z_OK) refuse();
}

void TextSink::refuse() const {
  throw UserError(path_ + " cannot be written", "check the folder, its permissions and the space left", 5);
}

}  // namespace echo::trace_io
