// A small SQLite export of Nsight Systems with calls, NVTX ranges and events. Times in ns.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/trace_file.hpp"

namespace echo::testing {

class TimelineFile {
 public:
  // Launched 5 ns long at `launch`.
  TimelineFile& kernel(const std::string& name, int correlation, std::int64_t launch, std::int64_t start,
                       std::int64_t duration, int stream = 7, int device = 0) {
    call("cudaLaunchKernel_v7000", correlation, launch);
    return row("CUPTI_ACTIVITY_KIND_KERNEL",
               {start, start + duration, device, 1, stream, correlation, process, id(name), id(name)});
  }
  TimelineFile& record(int correlation, std::int64_t time, int event, int stream) {
    call("cudaEventRecord_v3020", correlation, time);
    return row("CUPTI_ACTIVITY_KIND_CUDA_EVENT", {event, stream, correlation, process});
  }
  TimelineFile& wait_event(int correlation, std::int64_t time, int event, int stream) {
    call("cudaStreamWaitEvent_v3020", correlation, time);
    return row("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
               {time, time + 1, stream, correlation, 2, event, process});
  }
  TimelineFile& range(const std::string& text, std::int64_t start, std::int64_t end) {
    sql_ += "INSERT INTO NVTX_EVENTS VALUES (" + std::to_string(start) + "," + std::to_string(end) + ",'" +
            text + "',NULL," + std::to_string(process + 1) + ");";
    return *this;
  }
  void write(const std::filesystem::path& path) const {
    std::string strings;
    for (const auto& [text, place] : ids_)
      strings += "INSERT INTO StringIds VALUES (" + std::to_string(place) + ", '" + text + "');";
    run_sql(path,
            "BEGIN; CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
            "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER);"
            "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA A100-SXM4-40GB', 108);"
            "CREATE TABLE NVTX_EVENTS (start INT, \"end\" INT, text TEXT, textId INT, globalTid INT);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, \"end\" INT, globalTid INT, correlationId "
            "INT, nameId INT);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (eventId INT, streamId INT, correlationId INT, "
            "globalPid INT);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, \"end\" INT, streamId INT, "
            "correlationId INT, "
            "syncType INT, eventId INT, globalPid INT);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, \"end\" INT, deviceId INT, contextId INT, "
            "streamId INT, "
            "correlationId INT, globalPid INT, demangledName INT, shortName INT);" +
                strings + sql_ + "COMMIT;");
  }

 private:
  static constexpr std::int64_t process = std::int64_t{4242} << 24;

  void call(const std::string& name, int correlation, std::int64_t start) {
    row("CUPTI_ACTIVITY_KIND_RUNTIME", {start, start + 5, process + 1, correlation, id(name)});
  }
  TimelineFile& row(const std::string& table, const std::vector<std::int64_t>& values) {
    std::string list;
    for (const std::int64_t value : values) list += (list.empty() ? "" : ",") + std::to_string(value);
    sql_ += "INSERT INTO " + table + " VALUES (" + list + ");";
    return *this;
  }
  std::int64_t id(const std::string& text) {
    return ids_.try_emplace(text, static_cast<std::int64_t>(ids_.size()) + 1).first->second;
  }
  std::string sql_;
  std::map<std::string, std::int64_t> ids_;
};

}  // namespace echo::testing
