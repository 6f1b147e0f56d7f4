// Trace formats: plug-ins that convert between files and trace::Trace, one file each in formats/.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "trace/trace.hpp"

namespace echo::trace_io {

// The files to read. A path may be a folder of files, one per rank; each format defines their names.
struct Source {
  std::string path;
  std::string beside;      // a second file that some formats take: Kineto beside an execution trace,
                           // communicator groups beside Chakra files; empty: looked for beside `path`
  std::int32_t step = -1;  // of traces that hold several (ProfilerStep#N): the one to take; -1: one in the
                           // middle that is whole
};

// The ranks of a trace one after the other: the next, good until the call after; null behind the last.
using NextRank = std::function<const trace::RankTrace*()>;
[[nodiscard]] NextRank ranks_of(const trace::Trace&);  // which must outlive it

struct Format {
  const char* name;     // on the command line: "chakra"
  const char* summary;  // one line
  const char* source;   // whose format, where it is defined
  // Whether `path`, a file whose first bytes (decompressed) are `head`, or a folder with no head, looks like
  // one of these. Several may; the first of the table that does is taken.
  bool (*recognises)(const std::string& path, std::string_view head);
  // Throws UserError, 2, with every problem found: file, line or byte offset, what, what to do. Memory is
  // bounded by the result, not by the file. The result is sound (trace::why_unsound). Null: not read.
  trace::Trace (*read)(const Source&);
  // One file, or a folder with one per rank. Throws UserError, 5, where it cannot be written, 2 where the
  // format cannot say what the trace holds. Null: not written.
  void (*write)(const trace::Trace&, const std::string& path);
  // The same rank by rank, in the memory of one: `tables` is the trace without its ranks, whose tables hold
  // what all of them name. Null: the format needs all ranks at once.
  void (*write_ranks)(const trace::Trace& tables, const NextRank&, const std::string& path) = nullptr;
  const char* loses = "";         // of a trace, in words, where it is written; empty: nothing
  bool is_of_every_rank = false;  // what reads it wants the ops of each rank, not of one of each kind
};

[[nodiscard]] std::span<const Format* const> format_table();      // sorted by name
[[nodiscard]] const Format* format_named(std::string_view name);  // null where there is none
[[nodiscard]] const Format& format_of(const std::string& path);   // UserError, 2, where none recognises it
// By `format`, or as format_of says where it is empty. Throws UserError, 2, also where the trace takes more
// than memory_limit().
[[nodiscard]] trace::Trace read_trace(const Source&, std::string_view format = {});

}  // namespace echo::trace_io
