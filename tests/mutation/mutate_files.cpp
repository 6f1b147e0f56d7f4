// Damages files and runs the commands that read them: each in a process of its own, forked from this one,
// which has the program linked in. Every command must print what it prints of the whole file, or end with an
// exit code that says that the file cannot be read and one error; no signal, no hang, no more memory than a
// limit. usage: mutate_files FOLDER COMMANDS COUNT [SEED [FIRST]] COMMANDS has lines "VICTIM CODES: WORDS":
// the file in FOLDER that is damaged, the exit codes that refuse it, and the arguments of echo-sweep. Prints
// a table, and the number of each mutation that failed: FIRST runs from there on.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "tests/mutation/mutations.hpp"

namespace echo::testing {
namespace {

constexpr unsigned longest_seconds = 10;
constexpr rlim_t most_memory = rlim_t{4} << 30;  // of addresses, libraries included

struct Task {
  std::string victim;
  std::set<int> refusals;  // exit codes
  std::vector<std::string> words;
  std::string expected;  // on stdout, of the whole file
};

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_all(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::vector<Task> read_tasks(const char* path) {
  std::ifstream in(path);
  std::vector<Task> tasks;
  for (std::string line; std::getline(in, line);) {
    Task& task = tasks.emplace_back();
    const auto colon = line.find(':');
    std::istringstream left(line.substr(0, colon)), right(line.substr(colon + 1));
    left >> task.victim;
    for (int code = 0; left >> code;) task.refusals.insert(code);
    for (std::string word; right >> word;) task.words.push_back(word);
  }
  return tasks;
}

[[noreturn]] void run_here(std::vector<std::string> words) {
  const int out = ::open(".out", O_WRONLY | O_CREAT | O_TRUNC, 0600),
            err = ::open(".err", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  const rlimit memory{most_memory, most_memory}, no_core{0, 0};
  ::setrlimit(RLIMIT_AS, &memory);
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::alarm(longest_seconds);
  words.insert(words.begin(), "echo-sweep");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::exit(cli::run_command_line(static_cast<int>(words.size()), arguments.data()));
}

// The status of waitpid().
int run_apart(const std::vector<std::string>& words) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) run_here(words);
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

// "same", "refused", or what is wrong.
std::string verdict(const Task& task, int status) {
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM ? "hang" : "signal " + std::to_string(WTERMSIG(status));
  const std::string out = read_all(".out"), err = read_all(".err");
  const int code = WEXITSTATUS(status);
  if (code == 0) return out == task.expected ? "same" : "wrong output";
  if (!task.refusals.contains(code)) return "exit code " + std::to_string(code);
  if (task.words.front() == "verify") return count_of(out, ": damaged") == 1 ? "refused" : "no clear error";
  if (count_of(err, "error: ") != 1) return "no clear error";
  return task.expected.starts_with(out) ? "refused" : "wrong output, then refused";
}

using Counts = std::map<std::string, std::size_t>;

void print(const std::map<std::string, Counts>& table) {
  std::set<std::string> verdicts;
  for (const auto& [title, counts] : table)
    for (const auto& [verdict, count] : counts) verdicts.insert(verdict);
  std::printf("%-36s", "");
  for (const std::string& verdict : verdicts) std::printf(" %14s", verdict.c_str());
  std::printf("\n");
  for (const auto& [title, counts] : table) {
    std::printf("%-36s", title.c_str());
    for (const std::string& verdict : verdicts)
      std::printf(" %14zu", counts.contains(verdict) ? counts.at(verdict) : 0);
    std::printf("\n");
  }
}

int mutate_all(std::vector<Task> tasks, std::uint64_t count, std::uint64_t seed, std::uint64_t first) {
  std::map<std::string, std::string> whole;
  for (Task& task : tasks) {
    whole.emplace(task.victim, read_all(task.victim));
    if (run_apart(task.words) != 0) {
      std::fprintf(stderr, "\"%s\" fails on the whole file: %s\n", task.words.front().c_str(),
                   read_all(".err").c_str());
      return 2;
    }
    task.expected = read_all(".out");
  }
  std::map<std::string, Counts> table;
  bool all_well = true;
  for (std::uint64_t number = first; number < first + count; ++number) {
    Draws draws(seed, number);
    const Task& task = tasks[draws.below(tasks.size())];
    const std::size_t kind = draws.below(mutation_names.size());
    std::string bytes = whole.at(task.victim);
    mutate(kind, draws, bytes);
    write_all(task.victim, bytes);
    const std::string found = verdict(task, run_apart(task.words));
    ++table[task.victim + ": " + task.words.front()][found];
    ++table["kind: " + std::string(mutation_names[kind])][found];
    ++table["total"][found];
    if (found != "same" && found != "refused") {
      all_well = false;
      std::printf("%llu: %s, %s, %s\n", static_cast<unsigned long long>(number), task.words.front().c_str(),
                  mutation_names[kind], found.c_str());
    }
    write_all(task.victim, whole.at(task.victim));
  }
  print(table);
  return all_well ? 0 : 1;
}

}  // namespace
}  // namespace echo::testing

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto tasks = echo::testing::read_tasks(argv[2]);
  std::filesystem::current_path(argv[1]);
  return echo::testing::mutate_all(tasks, std::stoull(argv[3]), argc > 4 ? std::stoull(argv[4]) : 1,
                                   argc > 5 ? std::stoull(argv[5]) : 0);
}
