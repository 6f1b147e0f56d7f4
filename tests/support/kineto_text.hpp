// Small profiles as libkineto writes them. Times in us.
#pragma once

#include <cstdint>
#include <string>

namespace echo::testing {

class KinetoText {
 public:
  static constexpr int main_thread = 100, autograd_thread = 200;

  KinetoText& header(const std::string& text) {
    header_ += text + ",\n";
    return *this;
  }
  KinetoText& step(int number, double start, double duration) {
    return span("user_annotation", "ProfilerStep#" + std::to_string(number), start, duration, main_thread,
                "");
  }
  KinetoText& op(const std::string& name, int id, double start, double duration, const std::string& more = "",
                 int thread = main_thread) {
    return span("cpu_op", name, start, duration, thread, "\"External id\": " + std::to_string(id) + more);
  }
  KinetoText& annotation(const std::string& name, double start, double duration, int thread = main_thread,
                         const std::string& arguments = "") {
    return span("user_annotation", name, start, duration, thread, arguments);
  }
  KinetoText& call(const std::string& name, int correlation, double start, double duration, int id = 0,
                   int thread = main_thread) {
    return span("cuda_runtime", name, start, duration, thread,
                "\"External id\": " + std::to_string(id) +
                    ", \"cbid\": 1, \"correlation\": " + std::to_string(correlation));
  }
  KinetoText& gpu(const std::string& category, const std::string& name, int correlation, double start,
                  double duration, int stream = 7, const std::string& more = "", int id = 0) {
    return span(category, name, start, duration, stream,
                "\"External id\": " + std::to_string(id) + ", \"device\": 0, \"stream\": " +
                    std::to_string(stream) + ", \"correlation\": " + std::to_string(correlation) + more);
  }
  // A launch of 5 us and the kernel it runs.
  KinetoText& kernel(const std::string& name, int correlation, double launch, double start, double duration,
                     int stream = 7, const std::string& more = "", int id = 0, int thread = main_thread) {
    call("cudaLaunchKernel", correlation, launch, 5, id, thread);
    return gpu("kernel", name, correlation, start, duration, stream, more, id);
  }
  [[nodiscard]] std::string events() const { return "[\n" + events_ + "\n]"; }
  [[nodiscard]] std::string text() const {
    return "{\n\"schemaVersion\": 1,\n" + header_ + "\"traceEvents\": " + events() +
           ",\n\"traceName\": \"t.json\"}\n";
  }

 private:
  KinetoText& span(const std::string& category, const std::string& name, double start, double duration,
                   int thread, const std::string& arguments) {
    events_ += events_.empty() ? "" : ",\n";
    events_ += "{\"ph\": \"X\", \"cat\": \"" + category + "\", \"name\": \"" + name +
               "\", \"pid\": 1, \"tid\": " + std::to_string(thread) + ",\n \"ts\": " + std::to_string(start) +
               ", \"dur\": " + std::to_string(duration) + ", \"args\": {" + arguments + "}}";
    return *this;
  }
  std::string header_, events_;
};

}  // namespace echo::testing
