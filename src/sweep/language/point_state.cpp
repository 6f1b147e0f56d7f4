#include "sweep/language/point_state.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "training/layout/gradient_sums.hpp"
#include "training/layout/shared_experts.hpp"

namespace echo::sweep {
namespace {

std::int64_t number(const PointState& state, Axis axis) { return state.slot[at(axis)].number; }

void write(PointState& state, std::int32_t slot, std::int64_t value) {
  state.slot[at(slot)] = {value, 0.0};
  state.defined[at(slot)] = 1;
}
void write(PointState& state, Axis axis, std::int64_t value, std::int32_t preset) {
  write(state, slot_of(axis), value);
  state.preset[at(axis)] = preset;
}
bool undefine(PointState& state, std::int32_t slot) {
  if (slot >= 0) state.defined[at(slot)] = 0;
  return false;
}
bool fits(std::int64_t value) { return value >= 1 && value <= INT32_MAX; }

// Product of degrees; 0 where it exceeds 64 bits.
std::int64_t product(const PointState& state, std::initializer_list<Axis> axes) {
  std::int64_t total = 1;
  for (const Axis axis : axes) {
    if (__builtin_mul_overflow(total, number(state, axis), &total)) return 0;
  }
  return total;
}

bool fill_layout(const Step& step, PointState& state) {
  const std::int64_t model = product(state, {Axis::tp, Axis::pp, Axis::cp});
  if (step.kind == StepKind::fill_dp) {
    const std::int64_t gpus = number(state, Axis::gpus);
    if (!fits(model) || gpus % model != 0) return undefine(state, step.writes);
    return write(state, step.writes, gpus / model), true;
  }
  const std::int64_t total = product(state, {Axis::tp, Axis::pp, Axis::cp, Axis::dp});
  if (step.kind == StepKind::layout_fits) return fits(total) && total == number(state, Axis::gpus);
  if (!fits(total)) return undefine(state, step.writes);
  return write(state, step.writes, total), true;
}

bool count_sequences(const Step& step, PointState& state) {
  const bool in_tokens = step.reads.size() == 2;
  const std::int64_t batch = number(state, Axis::global_batch);
  const std::int64_t length = in_tokens ? number(state, Axis::seq_len) : 1;
  if (batch % length != 0 || !fits(batch / length)) return undefine(state, step.writes);
  return write(state, step.writes, batch / length), true;
}

// The value of an axis of the recipe or the fabric.
void recipe_default(const Program& program, const simulate::Catalog& catalog, Axis axis, PointState& state) {
  const std::size_t laid = at(state.preset[at(Axis::recipe)] + 1) * catalog.frameworks.size() +
                           at(state.preset[at(Axis::framework)]);
  const std::int32_t value = training::member_of(axis).get(program.framework_configs[laid]);
  const std::vector<std::int64_t>& texts = program.word_texts[at(axis)];
  write(state, axis, texts.empty() ? value : texts[at(value)], value);
  if (info_of(axis).kind == AxisKind::ratio) state.slot[at(axis)].real = value / 1000.0;
}

void framework_default(const Program& program, const simulate::Catalog& catalog, const Step& step,
                       PointState& state) {
  const training::FrameworkSpec& framework =
      catalog.framework(training::FrameworkId(state.preset[at(Axis::framework)]),
                        training::RecipeId(state.preset[at(Axis::recipe)]));
  const auto flag = [&](bool value) { write(state, step.axis, value ? 1 : 0, value ? 1 : 0); };
  if (step.axis == Axis::overlaps_shared_experts)
    return flag(training::overlaps_shared_experts(framework, number(state, Axis::overlap_ep) != 0));
  if (info_of(step.axis).holder != AxisHolder::config)
    return recipe_default(program, catalog, step.axis, state);
  switch (step.axis) {
    case Axis::recompute: {
      const auto mode = static_cast<std::int32_t>(framework.recompute);
      write(state, step.axis, program.recompute_texts[at(mode)], mode);
      break;
    }
    case Axis::zero:
      write(state, step.axis, static_cast<std::int64_t>(framework.zero), -1);
      break;
    case Axis::sequence_parallel:
      flag(framework.sequence_parallel);
      break;
    case Axis::flash_attention:
      flag(framework.flash_attention);
      break;
    case Axis::overlap_grad_reduce:
      flag(training::sums_beside_backward(
          framework, static_cast<training::ZeroStage>(state.slot[at(Axis::zero)].number)));
      break;
    case Axis::overlap_param_gather:
      flag(framework.overlap.param_gather);
      break;
    case Axis::overlap_p2p:
      flag(framework.overlap.pipeline);
      break;
    case Axis::overlap_tp:
      flag(framework.overlap.tensor);
      break;
    default:
      break;
  }
}

bool derive(const Step& step, PointState& state) {
  const auto value = evaluate(step.code, state.slot);
  const bool admitted =
      value && (step.target != Type::integer || (value->number >= step.low && value->number <= step.high));
  if (!admitted) return undefine(state, step.writes);
  state.slot[at(step.writes)] = *value;
  state.defined[at(step.writes)] = 1;
  return true;
}

}  // namespace

void assign(const Program& program, std::size_t dimension, std::int64_t digit, PointState& state) {
  for (const ResolvedColumn& column : program.dimensions[dimension]) {
    const ResolvedValue& value = column.values[at(digit)];
    state.slot[at(column.axis)] = value.value;
    state.preset[at(column.axis)] = value.preset;
  }
}

bool run_step(const Program& program, const simulate::Catalog& catalog, const Step& step, PointState& state) {
  for (const std::int32_t slot : step.reads) {
    if (state.defined[at(slot)] != 0) continue;
    undefine(state, step.writes);
    return true;
  }
  const auto preset = [&](Axis axis) { return static_cast<std::size_t>(state.preset[at(axis)]); };
  switch (step.kind) {
    case StepKind::constant:
      write(state, step.axis, step.value.value.number, step.value.preset);
      return true;
    case StepKind::framework_default:
      framework_default(program, catalog, step, state);
      return true;
    case StepKind::own_gpu: {
      const std::int32_t gpu = catalog.clusters[preset(Axis::cluster)].gpu.index();
      write(state, Axis::gpu, program.gpu_texts[at(gpu)], gpu);
      return true;
    }
    case StepKind::own_seq_len:
      write(state, step.writes, catalog.models[preset(Axis::model)].max_positions);
      return true;
    case StepKind::own_expert_tensor:
      write(state, step.writes,
            catalog.models[preset(Axis::model)].has_experts() ? number(state, Axis::tp) : 1);
      return true;
    case StepKind::own_schedule: {
      const bool interleaves = number(state, Axis::vpp) > 1 && number(state, Axis::pp) > 1;
      const std::int32_t schedule = interleaves ? program.interleaved_schedule : program.plain_schedule;
      write(state, Axis::schedule, program.schedule_texts[at(schedule)], schedule);
      return true;
    }
    case StepKind::fill_gpus:
    case StepKind::fill_dp:
    case StepKind::layout_fits:
      return fill_layout(step, state);
    case StepKind::sequences:
      return count_sequences(step, state);
    case StepKind::tokens:
      write(state, step.writes, state.slot[sequences_slot].number * number(state, Axis::seq_len));
      return true;
    case StepKind::field: {
      const PresetField& field = preset_fields()[at(step.field)];
      state.slot[at(step.writes)] = field.value(catalog, preset(step.axis));
      return true;
    }
    case StepKind::derive:
      return derive(step, state);
    case StepKind::keep: {
      const auto value = evaluate(step.code, state.slot);
      return value && value->number != 0;
    }
  }
  return true;
}

bool run_level(const Program& program, const simulate::Catalog& catalog, std::size_t level,
               PointState& state) {
  for (const Step& step : program.steps[level]) {
    if (!run_step(program, catalog, step, state)) return false;
  }
  return true;
}

training::TrainingConfig config_of(const PointState& state, const simulate::Catalog& catalog) {
  training::TrainingConfig config;
  for (const AxisInfo& info : axis_table) {
    const training::AxisMember& member = training::member_of(info.axis);
    const bool by_index = is_text(info.kind);
    if (member.set != nullptr)
      member.set(config, by_index ? state.preset[at(info.axis)]
                                  : static_cast<std::int32_t>(number(state, info.axis)));
  }
  if (catalog.cluster(config.cluster).gpu == config.gpu) config.gpu = machine::GpuId();
  config.batch.global_samples = static_cast<std::int32_t>(state.slot[sequences_slot].number);
  return config;
}

}  // namespace echo::sweep
