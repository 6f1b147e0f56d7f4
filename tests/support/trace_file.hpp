// A small SQLite export as Nsight Systems writes it.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace echo::testing {

struct ExportedKernel {
  std::string name, full_name;
  std::int64_t start = 0, end = 0;  // ns
  std::int32_t device = 0, stream = 7, blocks = 64, threads = 128;
};

inline void run_sql(const std::filesystem::path& path, const std::string& sql) {
  sqlite3* file = nullptr;
  sqlite3_open(path.c_str(), &file);
  char* said = nullptr;
  const int result = sqlite3_exec(file, sql.c_str(), nullptr, nullptr, &said);
  const std::string problem = said == nullptr ? "" : said;
  sqlite3_free(said);
  sqlite3_close(file);
  if (result != SQLITE_OK) throw std::runtime_error(problem);
}

inline std::string trace_sql(const std::vector<ExportedKernel>& kernels, const std::string& gpu) {
  std::string sql =
      "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
      "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, '" +
      gpu +
      "', 108);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, \"end\" INTEGER NOT NULL, deviceId "
      "INTEGER NOT "
      "NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid "
      "INTEGER, "
      "demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, registersPerThread "
      "INTEGER NOT "
      "NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT "
      "NULL, blockY "
      "INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory "
      "INTEGER NOT "
      "NULL);";
  std::map<std::string, std::int32_t> ids;
  const auto id = [&](const std::string& text) {
    const auto [found, is_new] = ids.try_emplace(text, static_cast<std::int32_t>(ids.size()) + 1);
    if (is_new)
      sql += "INSERT INTO StringIds VALUES (" + std::to_string(found->second) + ", '" + text + "');";
    return std::to_string(found->second);
  };
  for (const ExportedKernel& kernel : kernels) {
    const std::string full = id(kernel.full_name), name = id(kernel.name);
    sql += "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + std::to_string(kernel.start) + "," +
           std::to_string(kernel.end) + "," + std::to_string(kernel.device) + ",1," +
           std::to_string(kernel.stream) + ",0,0," + full + "," + name + ",NULL,40," +
           std::to_string(kernel.blocks) + ",1,1," + std::to_string(kernel.threads) + ",1,1,512,1024);";
  }
  return sql;
}

inline void write_trace(const std::filesystem::path& path, const std::vector<ExportedKernel>& kernels,
                        const std::string& gpu = "NVIDIA A100-SXM4-40GB") {
  run_sql(path, "BEGIN;" + trace_sql(kernels, gpu) + "COMMIT;");
}

}  // namespace echo::testing
