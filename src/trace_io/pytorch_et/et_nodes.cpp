#include "trace_io/pytorch_et/et_nodes.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "trace_io/io/json_pull.hpp"
#include "trace_io/pytorch_et/torch_json.hpp"
#include "trace_io/pytorch_et/torch_types.hpp"

namespace echo::trace_io {

namespace {

using Kind = JsonPull::Kind;

constexpr std::size_t most_tensors = 100'000;

class Reader {
 public:
  Reader(const std::string& path, const std::function<void(EtNode&)>& take)
      : source_(path), json_(source_), take_(take) {}

  void read() {
    try {
      bool has_nodes = false;
      json_.object([&](std::string_view key) {
        if (key != "nodes") return json_.skip();
        has_nodes = true;
        json_.array([&] { node(); });
      });
      if (!has_nodes) json_.fail("it has no \"nodes\"");
    } catch (const JsonFault& fault) {
      refuse(source_.path(), fault, "record again, and stop the observer before the program ends");
    }
  }

 private:
  void node() {
    node_ = {};
    json_.object([&](std::string_view key) {
      if (key == "name")
        node_.name = json_.text(longest_torch_value);
      else if (key == "inputs")
        operands(true);
      else if (key == "outputs")
        operands(false);
      else if (key == "input_shapes")
        shapes();
      else if (key == "input_types")
        types();
      else if (key == "attrs" && json_.peek() == Kind::array)
        json_.array([&] { attribute(); });
      else if (!plain(key))
        json_.skip();
    });
    if (node_.id < 0) return;
    node_.call.name = node_.name;
    take_(node_);
  }

  bool plain(std::string_view key) {
    if (key == "id")
      node_.id = integer_of(json_);
    else if (key == "ctrl_deps" || key == "parent")
      node_.parent = integer_of(json_);
    else if (key == "rf_id")
      node_.record_id = integer_of(json_);
    else if (key == "seq_id")
      node_.sequence = integer_of(json_);
    else
      return false;
    return true;
  }

  // An object of values, shapes, types, strides; or in the older schema the values.
  void operands(bool is_input) {
    if (json_.peek() == Kind::array) return values(is_input);
    if (json_.peek() != Kind::object) return json_.skip();
    json_.object([&](std::string_view key) {
      if (key == "values")
        values(is_input);
      else if (key == "shapes" && is_input)
        shapes();
      else if (key == "types" && is_input)
        types();
      else if (key == "strides" && is_input)
        add_extents(json_, node_.call.strides);
      else
        json_.skip();
    });
  }

  void values(bool is_input) {
    if (json_.peek() != Kind::array) return json_.skip();
    operand_ = 0;
    json_.array([&] {
      const std::string text = value(is_input ? node_.reads : node_.writes);
      if (is_input && node_.call.values.size() < most_torch_operands) node_.call.values.push_back(text);
      ++operand_;
    });
  }

  // A scalar as it is written; a tensor [id, storage, offset, elements, bytes per element, "device"], alone
  // or in lists, goes to `out`; the words of other lists are kept, separated by commas.
  std::string value(std::vector<EtTensor>& out) {
    if (json_.peek() != Kind::array) {
      const bool is_text = json_.peek() == Kind::string;
      std::string text = json_.text(is_text ? std::size_t{1} << 24 : longest_torch_value);
      if (is_text && node_.text.empty()) node_.text = text;
      if (text.size() > longest_torch_value) text.resize(longest_torch_value);
      return text;
    }
    std::vector<std::int64_t> numbers;
    std::string words;
    json_.array([&] {
      if (json_.peek() == Kind::number) {
        const std::int64_t one = integer_in(json_.number());
        if (numbers.size() < 6) numbers.push_back(one);
      } else {
        const std::string one = value(out);
        if (words.size() + one.size() < longest_torch_value) words += (words.empty() ? "" : ",") + one;
      }
    });
    if (numbers.size() != 5 || words.empty()) return words;
    std::int64_t bytes = 0;
    const bool fits = numbers[3] >= 0 && numbers[4] >= 0 &&
                      !__builtin_mul_overflow(numbers[3], numbers[4], &bytes) &&
                      bytes < (std::int64_t{1} << 50);
    if (out.size() < most_tensors) out.push_back({numbers[1], fits ? bytes : 0, words == "cpu", operand_});
    return {};
  }

  void shapes() { add_extents(json_, node_.call.shapes); }
  void types() { add_texts(json_, node_.call.types); }

  void attribute() {
    if (json_.peek() != Kind::object) return json_.skip();
    std::string name, value;
    json_.object([&](std::string_view key) {
      if (key == "name")
        name = json_.text(longest_torch_value);
      else if (key == "value")
        value = json_.text(longest_torch_value);
      else
        json_.skip();
    });
    CommCall& comm = node_.comm;
    if (name == "rf_id")
      node_.record_id = integer_in(value);
    else if (name == "seq_id")
      node_.sequence = integer_in(value);
    else if (name == "collective_name")
      comm.collective = value;
    else if (name == "dtype")
      comm.type = value;
    else if (name == "in_msg_nelems")
      comm.in = integer_in(value);
    else if (name == "out_msg_nelems")
      comm.out = integer_in(value);
    else if (name == "pg_name")
      comm.group = value;
    else if (name == "pg_desc")
      comm.purpose = value;
    else if (name == "pg_size")
      comm.group_size = integer_in(value);
  }

  ByteSource source_;
  JsonPull json_;
  const std::function<void(EtNode&)>& take_;
  EtNode node_;
  std::int32_t operand_ = 0;
};

}  // namespace

void read_et_nodes(const std::string& path, const std::function<void(EtNode&)>& take) {
  Reader(path, take).read();
}

std::vector<CommCall> groups_of_text(const std::string& text) {
  std::vector<CommCall> out;
  JsonPull json(text);
  try {
    json.array([&] {
      CommCall one;
      json.object([&](std::string_view key) {
        if (key == "pg_name")
          one.group = json.text(longest_torch_value);
        else if (key == "pg_desc")
          one.purpose = json.text(longest_torch_value);
        else if (key == "group_size" || key == "pg_size")
          one.group_size = integer_of(json);
        else if (key == "ranks")
          read_rank_list(json.text(std::size_t{1} << 24), one);
        else
          json.skip();
      });
      out.push_back(std::move(one));
    });
  } catch (const JsonFault&) {  // cut off: those before stand
  }
  return out;
}

}  // namespace echo::trace_io
