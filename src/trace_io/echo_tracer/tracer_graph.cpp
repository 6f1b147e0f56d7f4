#include "trace_io/echo_tracer/tracer_graph.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/at.hpp"
#include "trace_io/io/json_pull.hpp"

namespace echo::trace_io {

namespace {

using Kind = JsonPull::Kind;
using Shape = std::vector<std::int64_t>;

constexpr std::size_t longest = 4096;

template <class Take>
void read_file(const std::string& path, const Take& take) {
  ByteSource source(path);
  JsonPull json(source);
  try {
    take(json);
    json.finish();
  } catch (const JsonFault& fault) {
    refuse(path, fault, "trace again, with --pytorch_graph_profiling and --pytorch_ops_profiling");
  }
}

Shape shape(JsonPull& json) {
  Shape out;
  if (json.peek() != Kind::array) {
    json.skip();
    return out;
  }
  json.array([&] {
    if (json.peek() == Kind::number)
      out.push_back(json.integer());
    else
      json.skip();
  });
  return out;
}

std::vector<std::string> words(JsonPull& json) {
  std::vector<std::string> out;
  if (json.peek() != Kind::array) {
    json.skip();
    return out;
  }
  json.array([&] { out.push_back(json.text(longest)); });
  return out;
}

// Values of tensors whose types and shapes are in lists of their own.
void merge(std::vector<TracerTensor>& out, const std::vector<std::string>& types,
           std::vector<Shape>& shapes) {
  out.resize(std::max(types.size(), shapes.size()));
  for (std::size_t i = 0; i < types.size(); ++i) out[i].type = types[i];
  for (std::size_t i = 0; i < shapes.size(); ++i) out[i].shape = std::move(shapes[i]);
}

TracerNode node(JsonPull& json) {
  TracerNode out;
  std::vector<std::string> input_types, output_types;
  std::vector<Shape> input_shapes, output_shapes;
  const auto shapes = [&](std::vector<Shape>& list) {
    if (json.peek() != Kind::array) return json.skip();
    json.array([&] { list.push_back(shape(json)); });
  };
  json.object([&](std::string_view key) {
    if (key == "name")
      out.name = json.text(longest);
    else if (key == "op")
      out.op = json.text(longest);
    else if (key == "input_nodes")
      out.from = words(json);
    else if (key == "input_types")
      input_types = words(json);
    else if (key == "output_types")
      output_types = words(json);
    else if (key == "input_shapes")
      shapes(input_shapes);
    else if (key == "output_shapes")
      shapes(output_shapes);
    else if (key == "weight_type")
      out.weight.type = json.text(longest);
    else if (key == "weight_shape")
      out.weight.shape = shape(json);
    else if (key == "attrs" && json.peek() == Kind::object)
      json.object([&](std::string_view name) {
        if (name == "bucket_size" && json.peek() == Kind::number)
          out.bucket = json.integer();
        else
          json.skip();
      });
    else
      json.skip();
  });
  merge(out.inputs, input_types, input_shapes);
  merge(out.outputs, output_types, output_shapes);
  return out;
}

// By the suffixes of the names that torch.fx and autograd give: the name used by the dispatcher, and the
// positions of the node's first input and its weight among its operands.
struct Spelling {
  std::string_view op, aten;
  std::int8_t input = 0, weight = -1;
};
constexpr std::array<Spelling, 24> spellings{{
    {"torch.addmm", "aten::addmm"},
    {"torch.bmm", "aten::bmm"},
    {"torch.baddbmm", "aten::baddbmm"},
    {"torch.mm", "aten::mm"},
    {"torch.matmul", "aten::matmul"},
    {"torch.nn.modules.linear.Linear", "aten::linear", 0, 1},
    {"torch.nn.functional.linear", "aten::linear"},
    {"torch.nn.modules.normalization.LayerNorm", "aten::native_layer_norm", 0, 2},
    {"NativeLayerNormBackward0", "aten::native_layer_norm_backward", 1},
    {"torch.nn.modules.dropout.Dropout", "aten::native_dropout"},
    {"NativeDropoutBackward0", "aten::native_dropout_backward"},
    {"torch.nn.modules.sparse.Embedding", "aten::embedding", 1, 0},
    {"torch.nn.functional.softmax", "aten::_softmax"},
    {"SoftmaxBackward0", "aten::_softmax_backward_data"},
    {"torch.nn.modules.activation.GELU", "aten::gelu"},
    {"GeluBackward0", "aten::gelu_backward"},
    {"torch.nn.modules.activation.SiLU", "aten::silu"},
    {"torch.nn.functional.silu", "aten::silu"},
    {"SiluBackward0", "aten::silu_backward"},
    {"torch.nn.modules.activation.ReLU", "aten::relu"},
    {"ReluBackward0", "aten::threshold_backward"},
    {"torch.tanh", "aten::tanh"},
    {"contiguous", "aten::clone"},
    {"CloneBackward0", "aten::clone"},
}};

// Reduces a product of any rank to one of matrices, or of a batch of them.
void flatten(AtenCall& call) {
  call.name = "aten::mm";
  if (call.shapes.size() < 2) return;
  Shape &left = call.shapes[0], &right = call.shapes[1];
  if (left.size() < 2 || right.size() < 2) return;
  const auto rows_of = [](const Shape& s, std::size_t but) {
    std::int64_t out = 1;
    for (std::size_t i = 0; i + but < s.size(); ++i)
      if (__builtin_mul_overflow(out, s[i], &out)) return std::int64_t{-1};
    return out;
  };
  if (right.size() == 2) {
    left = {rows_of(left, 1), left.back()};
    return;
  }
  call.name = "aten::bmm";
  left = {rows_of(left, 2), left[left.size() - 2], left.back()};
  right = {rows_of(right, 2), right[right.size() - 2], right.back()};
}

}  // namespace

std::vector<TracerNode> read_tracer_graph(const std::string& path) {
  std::vector<TracerNode> out;
  read_file(path, [&](JsonPull& json) {
    json.array([&] {
      out.push_back(node(json));
      if (out.back().name.empty()) json.fail("a node without a name");
    });
  });
  return out;
}

std::map<std::string, double> read_tracer_times(const std::string& path) {
  std::map<std::string, double> out;
  read_file(path, [&](JsonPull& json) {
    json.object([&](std::string_view key) {
      const std::string name(key);
      const double time = json.real();
      constexpr double longest_time = 1e9;
      if (!(time >= 0.0 && time <= longest_time))
        json.fail("\"" + name + "\" has a time outside 0 to 1e9 ms");
      out[name] = time;
    });
  });
  return out;
}

TracerRun read_tracer_run(const std::string& path) {
  TracerRun out;
  read_file(path, [&](JsonPull& json) {
    json.object([&](std::string_view) {
      if (json.peek() != Kind::object) return json.skip();
      json.object([&](std::string_view key) {
        if (key == "gpu_name") {
          out.gpu = json.text(longest);
        } else if (key == "num_gpus" && json.peek() == Kind::number) {
          const std::int64_t count = json.integer();
          if (count >= 1 && count <= (1 << 24)) out.gpus = static_cast<std::int32_t>(count);
        } else {
          json.skip();
        }
      });
    });
  });
  return out;
}

AtenCall call_of(const TracerNode& node) {
  const auto found = std::find_if(spellings.begin(), spellings.end(),
                                  [&](const Spelling& one) { return one.op == node.op; });
  AtenCall call;
  if (found == spellings.end()) return call;
  call.name = found->aten;
  const auto put = [&](std::size_t place, const TracerTensor& tensor) {
    if (call.shapes.size() <= place) call.shapes.resize(place + 1), call.types.resize(place + 1);
    call.shapes[place] = tensor.shape;
    call.types[place] = tensor.type;
  };
  for (std::size_t i = 0; i < std::min<std::size_t>(node.inputs.size(), 8); ++i)
    put(static_cast<std::size_t>(found->input) + i, node.inputs[i]);
  if (found->weight >= 0) put(static_cast<std::size_t>(found->weight), node.weight);
  if (!call.types.empty() && call.types[0].empty() && found->input > 0 && found->weight != 0)
    call.types[0] = call.types[at(found->input)];
  if (call.name == "aten::matmul") flatten(call);
  return call;
}

double gradient_flops(const TracerNode& node) {
  static constexpr std::array<std::string_view, 4> names{"AddmmBackward0", "MmBackward0", "BmmBackward0",
                                                         "LinearBackward0"};
  if (std::find(names.begin(), names.end(), node.op) == names.end() || node.inputs.empty()) return 0.0;
  double elements = 1.0, inner = 0.0;  // of the product; what it summed over
  for (const std::int64_t extent : node.inputs[0].shape)
    elements *= static_cast<double>(std::max<std::int64_t>(extent, 0));
  const Shape& product = node.inputs[0].shape;
  std::int64_t gradients = 0;
  for (const TracerTensor& out : node.outputs) {
    if (out.shape.size() < 2 || out.shape.size() != product.size()) continue;
    ++gradients;
    // The inner dimension k, from gradients [.., m, k] and [.., k, n] of a product [.., m, n].
    const std::int64_t rows = out.shape[out.shape.size() - 2], columns = out.shape.back();
    inner =
        static_cast<double>(std::max<std::int64_t>(rows == product[product.size() - 2] ? columns : rows, 0));
  }
  const double flops = 2.0 * static_cast<double>(gradients) * elements * inner;
  return flops < 1e30 ? flops : 0.0;
}

}  // namespace echo::trace_io
