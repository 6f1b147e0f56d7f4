#include "config/measured/measured_steps.hpp"

#include <algorithm>
#include <map>

#include "base/at.hpp"
#include "base/named_table.hpp"
#include "config/measured/every_row.hpp"
#include "config/measured/step_columns.hpp"
#include "timeline/schedule.hpp"
#include "training/layout/gradient_sums.hpp"
#include "training/layout/shared_experts.hpp"

namespace echo::config {

namespace {

using training::TrainingConfig;

// No column contains the rank or the places of the adapters; all such rows are NeMo's performance recipes,
// which adapt linear_qkv alone, at the class's default rank. Sources:
// nemo/collections/llm/recipes/llama3_8b.py, finetune_performance_optimizations;
// nemo/collections/llm/peft/lora.py, class LoRA, dim; NeMo 24.07, megatron_gpt_finetuning_config.yaml,
// lora_tuning.
constexpr std::int32_t nemo_lora_rank = 32;
constexpr auto nemo_lora_targets = static_cast<std::int32_t>(training::Product::linear_qkv);

// Nor does a column contain the data of the tuning: SQuAD, its examples packed into sequences of 4096 tokens
// (the same recipes: packed where performance counts, else 2048 tokens and no packing). The mean length of
// an example is 172 tokens, from graphcore's poprt benchmark of packed SQuAD: 2.2 per sequence of 384 (Krell
// et al. 2021, arXiv:2107.02027).
constexpr std::int32_t nemo_packed_length = 4096, squad_tokens = 172;

constexpr double slowest_nic_gbits = 100.0;  // EDR, HDR100, Omni-Path, 100 GbE

// Reads one row; the first thing that is missing or not simulated becomes its skip reason.
class RowReader {
 public:
  RowReader(const CsvTable& table, std::size_t row, const CatalogInputs& presets, simulate::Catalog& catalog)
      : table_(table), row_(row), presets_(presets), catalog_(catalog) {}

  MeasuredStep read() {
    MeasuredStep step;
    step.row = table_.text(row_, "row_id").empty() ? std::to_string(row_ + 1) : std::string(text("row_id"));
    step.source = text("source");
    step.stratum = text("stratum");
    step.model = text("model");
    if (!text("setting").empty())
      step.setting = choice("setting", simulate::setting_names, simulate::Setting::benchmark);
    step.skipped = why_skipped(step.stratum);
    if (step.skipped.empty()) {
      const TrainingConfig config = read_config();
      step.recompute_open = text("recompute").empty();
      step.zero_open = text("zero").empty();
      if (problem_.empty())
        step.config = config;
      else
        step.skipped = problem_;
    }
    return step;
  }

 private:
  [[nodiscard]] std::string_view text(std::string_view column) const { return table_.text(row_, column); }
  [[nodiscard]] std::int32_t integer(std::string_view column, std::int32_t otherwise) const {
    return table_.integer(row_, column).value_or(otherwise);
  }
  [[nodiscard]] bool flag(std::string_view column, bool otherwise) const {
    return table_.integer(row_, column).value_or(otherwise ? 1 : 0) != 0;
  }
  std::int32_t required(std::string_view column) {
    const auto value = table_.integer(row_, column);
    if (!value || *value < 1) problem("no " + std::string(column));
    return value.value_or(1);
  }
  void problem(std::string text) {
    if (problem_.empty()) problem_ = std::move(text);
  }

  [[nodiscard]] std::string why_skipped(const std::string& stratum) const {
    if (integer("suspect", 0) != 0) return "suspect";
    if (stratum == "unscored") return "unscored";
    if (const std::string_view task = text("task");
        !task.empty() && task != "pretrain" && task != "SFT" && !adapts())
      return "unknown task";
    return "";
  }

  template <class Enum, class Names>
  Enum choice(std::string_view column, const Names& names, Enum otherwise) {
    const std::string_view cell = text(column);
    if (cell.empty()) return otherwise;
    const auto found = std::find(names.begin(), names.end(), cell);
    if (found == names.end()) return problem("unknown " + std::string(column)), otherwise;
    return static_cast<Enum>(found - names.begin());
  }

  // The model as the row describes it: the columns decide, not the name.
  training::ModelId read_model() {
    training::ModelSpec m;
    m.layers = required("layers");
    m.hidden = required("hidden");
    m.heads = required("heads");
    m.kv_heads = integer("kv_heads", m.heads);
    m.head_dim = integer("head_dim", m.hidden / std::max(1, m.heads));
    m.gated_ffn = flag("gated_ffn", false);
    m.ffn_hidden = integer("ffn_hidden", 4 * m.hidden);
    m.vocab = integer("vocab", m.gated_ffn ? 32000 : 50257);  // Llama's and GPT-2's tokenizers
    m.max_positions = required("seq_len");
    m.experts = integer("experts", 0);
    m.experts_per_token = integer("experts_per_token", 0);
    m.expert_ffn_hidden = integer("expert_ffn_hidden", 0);
    // Gated models are of Llama's family; the others of GPT's.
    m.tied_embeddings = m.linear_bias = !m.gated_ffn;
    m.norm = m.gated_ffn ? training::Norm::rms : training::Norm::layer;
    m.positions = m.gated_ffn ? training::Positions::rope : training::Positions::learned;
    m.source = "measured table";
    if (m.has_experts()) complete_mixture(m);
    return training::ModelId(intern(catalog_.models, m));
  }

  // Properties that no column contains - shared experts, latent attention, which layers mix experts - are
  // those of the public model with the row's width, heads and experts. A proxy of fewer layers keeps their
  // share of dense ones, at least one.
  void complete_mixture(training::ModelSpec& m) const {
    const auto& models = presets_.catalog.models;
    const auto found = std::find_if(models.begin(), models.end(), [&](const training::ModelSpec& p) {
      return p.hidden == m.hidden && p.heads == m.heads && p.experts == m.experts &&
             p.experts_per_token == m.experts_per_token && p.expert_ffn_hidden == m.expert_ffn_hidden;
    });
    if (found == models.end()) return;
    m.kv_heads = integer("kv_heads", found->kv_heads);
    m.head_dim = integer("head_dim", found->head_dim);
    m.shared_expert_hidden = found->shared_expert_hidden;
    m.moe_interval = found->moe_interval;
    if (found->first_dense_layers > 0)
      m.first_dense_layers = std::max(1, found->first_dense_layers * m.layers / found->layers);
    m.latent = found->latent;
    m.local = found->local;
    m.query_key_norm = found->query_key_norm;
    m.tied_embeddings = found->tied_embeddings;
    m.linear_bias = found->linear_bias;
    m.attention_sinks = found->attention_sinks;
    m.scaled_positions = found->scaled_positions;
    m.clamped_activation = found->clamped_activation;
    m.routing_groups = found->routing_groups;
    m.groups_per_token = found->groups_per_token;
    m.post_norms = found->post_norms;
    m.qkv_bias = found->qkv_bias;
    m.shared_expert_gate = found->shared_expert_gate;
    m.whole_query_key_norm = found->whole_query_key_norm;
  }

  // By default Megatron splits experts like the other weights; where that is impossible, the run must have
  // set it.
  static std::int32_t default_expert_tensor(const training::Degrees& d) {
    return d.tensor * d.context * d.data % (d.tensor * d.expert) == 0 ? d.tensor : 1;
  }

  // The machine that the publication names, where it has the row's GPU, else its GPU's vendor reference;
  // negative where there is neither.
  [[nodiscard]] std::int32_t base_cluster(const std::string& gpu) const {
    const std::string published = published_cluster(presets_.publications, table_, row_);
    const std::int32_t named = published.empty() ? -1 : find_named(catalog_.clusters, published);
    const auto has_gpu = [&](std::int32_t cluster) {
      const machine::GpuId own = catalog_.clusters[at(cluster)].gpu;
      return catalog_.gpus[at(own.index())].name == gpu;
    };
    return named >= 0 && has_gpu(named) ? named : find_named(catalog_.clusters, "generic-" + gpu);
  }

  machine::ClusterId read_cluster() {
    const std::string gpu =
        published_gpu(presets_.publications, table_, row_, presets_.aliases.resolve("gpu", text("gpu")));
    const std::int32_t base = base_cluster(gpu);
    if (base < 0) return problem("no preset for gpu " + gpu), machine::ClusterId{};
    machine::ClusterSpec c = catalog_.clusters[at(base)];
    c.gpus_per_node = integer("gpus_per_node", c.gpus_per_node);
    c.scale_up_domain = integer("scale_up_domain_gpus", std::max(c.gpus_per_node, c.scale_up_domain));
    if (const auto rate = table_.number(row_, "scale_up_gbytes_per_s"))
      c.scale_up.bandwidth = BytesPerSecond(*rate * 1e9);
    if (const auto rate = table_.number(row_, "scale_out_gbits_per_s_per_node")) {
      // No NIC of these machines is slower than 100 Gb/s: 400 Gb/s are four of them, shared by eight GPUs.
      while (c.nics_per_node > 1 && *rate / c.nics_per_node < slowest_nic_gbits) c.nics_per_node /= 2;
      c.scale_out.bandwidth = BytesPerSecond(*rate * 1e9 / 8 / c.nics_per_node);
    }
    c.nodes = 0;
    c.name.clear();
    return machine::ClusterId(intern(catalog_.clusters, c));
  }

  template <class T>
  static std::int32_t intern(std::vector<T>& table, const T& value) {
    const auto found = std::find(table.begin(), table.end(), value);
    if (found != table.end()) return static_cast<std::int32_t>(found - table.begin());
    table.push_back(value);
    return static_cast<std::int32_t>(table.size()) - 1;
  }

  void read_schedule(TrainingConfig& c) {
    const std::string_view cell = text("schedule");
    std::string name = cell.empty() || cell == "none" ? "1f1b" : std::string(cell);
    if (c.degrees.virtual_stages > 1 && name == "1f1b") name = "interleaved";
    const std::int32_t id = find_named(timeline::schedule_table(), name);
    if (id < 0) problem("schedule " + name + " is not simulated yet");
    c.schedule = training::ScheduleId(id);
  }

  // The preset of the framework that a row names, with or without a version behind it ("flagscale-ed55532",
  // "deepspeed-0-11-1").
  [[nodiscard]] std::int32_t find_framework(std::string name) const {
    for (;;) {
      const std::int32_t id = find_named(catalog_.frameworks, presets_.aliases.resolve("framework", name));
      const std::size_t dash = name.rfind('-');
      if (id >= 0 || dash == std::string::npos) return id;
      if (name.find_first_of("0123456789", dash) == std::string::npos) return -1;
      name.resize(dash);
    }
  }

  // "LoRA", or what it adapts behind it: "LoRA (MLPerf llama2_70b_lora)".
  [[nodiscard]] bool adapts() const { return text("task").starts_with("LoRA"); }
  [[nodiscard]] bool is_tuned() const { return adapts() || text("task") == "SFT"; }

  // NeMo's recipes for tuning interleave down to one layer per chunk (vpp = 20 of 80 layers in 4 stages),
  // which not all rows state.
  [[nodiscard]] std::int32_t default_virtual_stages(const training::Degrees& d) const {
    const std::int32_t layers = integer("layers", 0);
    const std::int32_t each = d.data * integer("micro_batch", 1);
    const bool interleaves = is_tuned() && d.pipeline > 1 && layers % d.pipeline == 0 &&
                             integer("global_batch", 0) / std::max(1, each) % d.pipeline == 0;
    return interleaves ? layers / d.pipeline : 1;
  }

  // The row's own, else the one that a publication names, else what tables mean by the framework's name
  // (aliases.toml).
  void read_recipe(TrainingConfig& c) {
    const std::string& framework = catalog_.frameworks[at(c.framework)].name;
    std::string usual = presets_.aliases.resolve("recipe", framework);
    if (usual == framework) usual = training::no_recipe;
    const std::string name = text("recipe").empty()
                                 ? published_recipe(presets_.publications, table_, row_, usual)
                                 : std::string(text("recipe"));
    if (name == training::no_recipe) return;
    c.named_recipe = training::RecipeId(find_named(catalog_.recipes, name));
    if (c.named_recipe.is_none() || catalog_.framework(c).recipe_name.empty())
      problem("no recipe " + name + " for framework " + framework), c.named_recipe = {};
  }

  TrainingConfig read_config() {
    TrainingConfig c;
    c.precision = choice("precision", machine::precision_names, machine::Precision::bf16);
    std::int32_t framework = find_framework(
        published_framework(presets_.publications, table_, row_, std::string(text("framework"))));
    if (framework < 0) return problem("no preset for framework " + std::string(text("framework"))), c;
    // Megatron-LM introduced 8-bit products with Megatron Core and Transformer Engine.
    if (catalog_.frameworks[at(framework)].name == "megatron-lm" && machine::operand_bytes(c.precision) == 1)
      framework = find_named(catalog_.frameworks, "megatron-core");
    c.framework = training::FrameworkId(framework);
    read_recipe(c);
    const training::FrameworkSpec& f = catalog_.framework(c);

    c.model = read_model();
    c.cluster = read_cluster();
    training::Degrees& d = c.degrees;
    d = {.tensor = required("tp"),
         .pipeline = required("pp"),
         .data = required("dp"),
         .context = integer("cp", 1)};
    d.expert = integer("ep", 1);
    if (integer("experts", 0) > 0) d.expert_tensor = integer("etp", default_expert_tensor(d));
    d.virtual_stages = std::max(1, integer("vpp", published_virtual_stages(presets_.publications, table_,
                                                                           row_, default_virtual_stages(d))));
    c.batch = {.global_samples = required("global_batch"),
               .micro_samples = required("micro_batch"),
               .sequence_tokens = required("seq_len")};
    if (!problem_.empty()) return c;
    if (training::gpus_of(d) != integer("num_gpus", training::gpus_of(d)))
      problem("degrees do not multiply to num_gpus");

    read_schedule(c);
    c.recompute = choice("recompute", training::recompute_names, f.recompute);
    // The modules that the framework itself recomputes as selective.
    if (c.recompute == training::Recompute::selective && f.recompute == training::Recompute::per_op)
      c.recompute = training::Recompute::per_op;
    c.zero = static_cast<training::ZeroStage>(
        std::clamp(integer("zero", static_cast<std::int32_t>(f.zero)), 0, 3));
    c.zero_group = integer("zero_group", 0);
    c.sequence_parallel = d.tensor > 1 && flag("sequence_parallel", f.sequence_parallel);
    // No flash attention kernel accepts 32-bit operands: there Megatron computes the scores in full,
    // whatever its settings are.
    c.flash_attention =
        flag("flash_attention", f.flash_attention) && machine::element_bytes(c.precision) <= 2;
    c.recipe = f.recipe;
    if (adapts()) c.recipe.lora_rank = nemo_lora_rank, c.recipe.lora_targets = nemo_lora_targets;
    if (is_tuned() && c.flash_attention && c.batch.sequence_tokens == nemo_packed_length)
      c.recipe.packed_tokens = squad_tokens;
    c.overlap = f.overlap;
    c.overlap.grad_reduce = flag("overlap_grad_reduce", training::sums_beside_backward(f, c.zero));
    c.overlap.param_gather = flag("overlap_param_gather", f.overlap.param_gather);
    c.overlap.tensor = c.sequence_parallel && flag("overlap_tp", f.overlap.tensor);
    bool shared_stated = false;
    for (const Choice& choice : published_choices(presets_.publications, table_, row_)) {
      shared_stated = shared_stated || choice.axis == training::Axis::overlaps_shared_experts;
      if (text(training::info_of(choice.axis).name).empty())
        training::member_of(choice.axis).set(c, choice.value);
    }
    if (!shared_stated)
      c.recipe.overlaps_shared_experts = training::overlaps_shared_experts(f, c.recipe.overlap_ep);
    const std::int32_t layers = catalog_.models[at(c.model.index())].layers;
    const std::int32_t chunks = training::chunks_of(c);
    if (auto split = published_layers(presets_.publications, table_, row_, chunks, layers); !split.empty()) {
      c.layers.explicit_layers = training::LayerTableId(intern(catalog_.layer_tables, split));
      return c;
    }
    // Uneven splits: first and last stage hold one layer less (embedding and loss count as layers).
    if (layers % chunks != 0 && (layers + 2) % chunks == 0)
      c.layers.embedding_is_layer = c.layers.loss_is_layer = true;
    return c;
  }

  const CsvTable& table_;
  std::size_t row_;
  const CatalogInputs& presets_;
  simulate::Catalog& catalog_;
  std::string problem_;
};

// The measured value; nothing if the cell is blank or not a possible measurement.
std::optional<double> positive_number(const CsvTable& table, std::size_t row, std::string_view column) {
  const auto value = table.number(row, column);
  return value && *value > 0.0 ? value : std::nullopt;
}

}  // namespace

std::vector<TrainingConfig> readings_of(const MeasuredStep& step) {
  std::vector<TrainingConfig> out{*step.config};
  const auto add = [&out](auto change) {
    TrainingConfig next = out.back();
    change(next);
    out.push_back(next);
  };
  if (step.zero_open && step.config->zero == training::ZeroStage::none)
    add([](TrainingConfig& c) { c.zero = training::ZeroStage::optimizer; });
  for (const auto more : {training::Recompute::selective, training::Recompute::full})
    if (step.recompute_open && step.config->recompute < more)
      add([more](TrainingConfig& c) { c.recompute = more; });
  return out;
}

bool is_step_table(const CsvTable& table) { return table.has("step_time_s") || table.has("global_batch"); }

MeasuredSteps read_measured_steps(const CsvTable& table, const CatalogInputs& presets) {
  MeasuredSteps out;
  out.catalog = presets.catalog;
  for (machine::GpuSpec& gpu : out.catalog.gpus) {
    out.gpu_memory.push_back(gpu.memory);
    gpu.memory = Bytes(std::int64_t{1} << 50);
  }
  std::vector<Problem> problems = unknown_step_columns(table);
  try {
    out.rows = every_row<MeasuredStep>(table, [&](std::size_t row) {
      if (std::vector<Problem> bad = bad_step_cells(table, row); !bad.empty())
        throw UserError(std::move(bad));
      MeasuredStep step = RowReader(table, row, presets, out.catalog).read();
      step.step_seconds = positive_number(table, row, "step_time_s");
      if (const auto printed = positive_number(table, row, "peak_mem_gib"))
        step.peak_memory = measured_memory(*printed, table.text(row, "mem_kind"));
      using simulate::SettingsFrom;
      step.settings_from =
          is_described(presets.publications, table, row) || !table.text(row, "recipe").empty()
              ? SettingsFrom::run
          : is_of_suite(presets.publications, table, row) ? SettingsFrom::suite
                                                          : SettingsFrom::defaults;
      step.outcome =
          memory_outcome(table.text(row, "mem_kind"), step.step_seconds || step.peak_memory.has_value());
      return step;
    });
  } catch (const UserError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
  }
  if (std::any_of(problems.begin(), problems.end(),
                  [](const Problem& p) { return p.severity == Problem::Severity::error; }))
    throw UserError(std::move(problems));
  out.warnings = std::move(problems);
  return out;
}

}  // namespace echo::config
