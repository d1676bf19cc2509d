/// \file Sample sort's variants: they differ in how a GPU sorts its keys, and whether it
/// sorts during the key swap.

#include "model/distributions/closed_form_source.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/sorts/sample/refined_planner.hpp"
#include "model/sorts/sample/splitters.hpp"
#include "simulator/cost/cost_model_skew.hpp"
#include "simulator/schedules/local_sort.hpp"
#include "simulator/schedules/round_swap.hpp"
#include "simulator/schedules/schedule_one_gpu.hpp"
#include "simulator/schedules/schedule_rmg.hpp"
#include "traces/catalog/parameters.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <utility>

namespace keyswap::simulator {

namespace {

/// How a GPU sorts its own keys.
enum class OwnSort {
    splitters, ///< level by level; in rounds, where one pass places every bucket
    published  ///< 128 ways a level, then quicksort
};

/// Levels of a splitter tree; the last level's words mark splitters with buckets of their own.
constexpr int tree_levels_max = 8;

/// Labels the keys of all buckets that a pass refines; the scatter follows.
void add_labels(ScheduleBuilder& builder,
                model::Plan const& plan,
                model::PassPlan const& pass,
                FastKernels const& kernels,
                double launch_us) {
    for (model::BucketHistogram const& histogram : pass.histograms) {
        int const levels = std::min(tree_levels_max,
                                    static_cast<int>(std::bit_width(histogram.digit_count() - 1)));
        for (std::uint32_t gpu = 0; gpu < plan.config.gpu_count; ++gpu) {
            std::uint64_t const keys = keys_in(histogram.of(GpuId{gpu}));
            if (keys > 0) {
                double const concentration =
                    block_spread(histogram, GpuId{gpu}, 0.0, keys).concentration;
                KernelCost const cost =
                    kernels.label(builder.key_bytes(), keys, levels, concentration);
                builder.add(builder.kernel_task(gpu, cost, launch_us, pass.pass), Phase::histogram);
            }
        }
    }
    builder.barrier();
}

/// Converts keys to images, from which splitters are drawn.
void add_images(ScheduleBuilder& builder,
                model::SortConfig const& config,
                FastKernels const& kernels) {
    if (are_images(config)) {
        return;
    }
    model::Chunks const chunks(config.key_count, config.gpu_count);
    for (GpuId gpu{0}; gpu.value < config.gpu_count; ++gpu.value) {
        KernelCost const cost = kernels.change_images(builder.key_bytes(), chunks.of(gpu).size());
        builder.add(builder.kernel_task(gpu.value, cost, 0.0), std::nullopt);
    }
}

/// Each GPU sorts its buckets and downloads its range.
void sort_ranges(ScheduleBuilder& builder,
                 model::Plan const& plan,
                 DeviceProfile const& device,
                 OwnSort own_sort) {
    LocalSort sort{builder, device};
    for (OwnershipRecord const& owned : plan.ownership) {
        std::vector<LocalSegment> segments;
        std::uint64_t in_order = 0;
        auto const end =
            std::ranges::upper_bound(plan.sort_groups, owned.gpu, {}, &model::SortGroup::gpu);
        for (auto group =
                 std::ranges::lower_bound(plan.sort_groups, owned.gpu, {}, &model::SortGroup::gpu);
             group != end;
             ++group) {
            if (group->end_bit == 0) {
                in_order += group->count;
            } else {
                segments.insert(segments.end(),
                                group->bucket_count,
                                {{}, group->count / group->bucket_count, group->end_bit, {}});
            }
        }
        if (own_sort == OwnSort::splitters) {
            sort.by_splitters(segments, {}, in_order, launch_segments_max);
        } else {
            sort.as_published(segments, {}, in_order);
        }
        sort.finish(owned.gpu.value, owned.count);
    }
    builder.barrier();
}

Schedule sort_on_one_gpu(ScheduleInput const& input, OwnSort own_sort) {
    return schedule_one_gpu(input, [&](ScheduleBuilder& builder) {
        add_images(builder, input.config, FastKernels{input.device});
        LocalSort sort(builder, input.device);
        if (own_sort == OwnSort::splitters) {
            sort.by_splitters(*input.keys, launch_segments_max);
        } else {
            sort.as_published(*input.keys);
        }
        sort.finish(0, input.config.key_count);
    });
}

/// Host time, in microseconds, for the draws of a pass: requests, and a sort by bucket. In later
/// passes each of the many draws is searched in the buckets, some 20 cycles at 3 GHz (assumed: a
/// search in a few bounds, and 16 bytes copied).
double draws_us(FastCosts const& fast, model::Plan const& plan, int pass) {
    constexpr double draw_us = 0.007;
    constexpr std::uint64_t draws_per_key = 64;
    std::uint64_t const draws =
        pass == 1 ? 0 : std::min(model::later_draws, draws_per_key * plan.config.key_count);
    return fast.plan_us + static_cast<double>(draws) * draw_us;
}

/// Moves parts with several children by one-byte labels. The smaller of what the pass moved and
/// what it left is copied, so that all keys are in one buffer.
void scatter_by_labels(ScheduleBuilder& builder,
                       model::Plan const& plan,
                       model::PassPlan const& pass,
                       DeviceProfile const& device) {
    FastKernels const kernels{device};
    RecordBytes const record = builder.record();
    double const order = positional_order(plan);
    std::vector<BlockSpreads> spreads;
    for (model::BucketHistogram const& histogram : pass.histograms) {
        spreads.emplace_back(histogram, order, unstable_tile_keys(record));
    }
    for (GpuId gpu{0}; gpu.value < plan.config.gpu_count; ++gpu.value) {
        KernelCost sum;
        std::uint64_t moved = 0;
        for (std::size_t bucket = 0; bucket < pass.histograms.size(); ++bucket) {
            std::uint64_t const keys = keys_in(pass.histograms[bucket].of(gpu));
            if (keys > 0) {
                sum += kernels.unstable_step(record, keys, spreads[bucket].of(gpu));
                moved += keys;
            }
        }
        if (moved == 0) {
            continue;
        }
        std::uint64_t const copied = std::min(moved, plan.chunks.of(gpu).size() - moved);
        sum += kernels.copy(copied * record.sum());
        int const launches = 2 + (copied > 0 ? static_cast<int>(pass.histograms.size()) : 0);
        builder.add(
            builder.kernel_task(gpu.value, sum, launches * device.fast->launch_us, pass.pass),
            Phase::scatter);
    }
    builder.barrier();
}

/// Passes of our kernels: draw samples, label keys, place buckets on the host, scatter.
void add_splitter_passes(ScheduleBuilder& builder,
                         model::Plan const& plan,
                         DeviceProfile const& device) {
    FastKernels const kernels{device};
    FastCosts const& fast = *device.fast;
    for (model::PassPlan const& pass : plan.passes) {
        builder.host_work(draws_us(fast, plan, pass.pass), Phase::planning, pass.pass);
        builder.barrier();
        add_labels(builder, plan, pass, kernels, fast.launch_us);
        // Pieces and tables as after a digit tree, in the first pass only.
        builder.host_work(
            pass.pass == 1 ? fast.plan_tree_us : fast.plan_us, Phase::planning, pass.pass);
        builder.barrier();
        scatter_by_labels(builder, plan, pass, device);
    }
}

/// For sorts with one pass: keys travel in rounds, each sorted during later rounds' copies.
/// \return the number of copies
std::size_t
add_sorted_rounds(ScheduleBuilder& builder, ScheduleInput const& input, model::Plan const& plan) {
    constexpr int no_bits = 0; // no two buckets are sorted as one
    ExchangePlan const& rounds = input.facts->of("rounds", [&plan, &builder] {
        std::span<int const> const shares = kernels::round_shares(
            round_demand(plan, builder.needs_download(0), kernels::BucketSort::levels));
        return exchange_of(exchange_rounds(plan, final_buckets(plan), shares, no_bits),
                           std::nullopt);
    });
    FastKernels const kernels{input.device};
    KeySample const& sample =
        input.facts->of("sample", [&input] { return sample_keys(*input.keys); });
    return add_arrived_rounds(
        builder, input.device, rounds, [&](std::vector<LocalSegment> const& segments) {
            return arrived_by_splitters(kernels,
                                        builder.record(),
                                        segments,
                                        sample,
                                        launch_segments_max,
                                        image_code_of(builder));
        });
}

/// Draws from a fixed number of random keys for sorts of any size: their distribution does not
/// depend on the number, so only chance would make fewer keys take more passes.
class DrawsOfAnySize final : public model::Refinement {
  public:
    DrawsOfAnySize(ScheduleInput const& input, model::SortConfig const& config)
        : splitters_((*model::find_algorithm("sample-sort"))->refinement(config)) {
        if (!input.expected) {
            return; // keys depend on their positions
        }
        model::KeyRequest drawn = *input.expected;
        drawn.key_count = std::uint64_t{1} << 40U;
        auto generator = model::KeyGenerator::make(drawn);
        KEYSWAP_EXPECTS(generator.has_value());
        keys_ = std::make_unique<model::ClosedFormSource>(std::move(*generator),
                                                          input.config.direction);
    }

    [[nodiscard]] model::RefinedPass refine(int pass,
                                            std::span<model::SpanningBucket const> spanning,
                                            model::KeySource& source) const override {
        return splitters_->refine(pass, spanning, keys_ ? *keys_ : source);
    }

    [[nodiscard]] int child_bits() const override { return splitters_->child_bits(); }

  private:
    std::unique_ptr<model::Refinement const> splitters_;
    std::unique_ptr<model::KeySource> keys_; ///< nullptr: draw from the sorted keys
};

/// The chosen sample, and another one that takes more passes, or fewer.
struct Draw {
    model::SortConfig config;
    std::optional<AlternativeSample> other;
};

/// The number of passes depends on where a few splitters fall. Chooses the first sample that
/// behaves as the majority of nine; draws no more samples than needed to decide this.
Draw likely_draw(ScheduleInput const& input) {
    constexpr std::size_t most = 5; // of nine
    ParameterInfo const& seed =
        *find_parameter(**find_algorithm_info("sample-sort"), "sample-seed");
    std::array<std::vector<model::SortConfig>, 2> drawn; // [first pass suffices]
    model::SortConfig next = input.config;
    while (true) {
        DrawsOfAnySize const draws(input, next);
        std::size_t const suffices = model::first_pass_suffices(next, draws, *input.keys) ? 1 : 0;
        drawn[suffices].push_back(next);
        if (drawn[suffices].size() == most) {
            auto const& others = drawn[1 - suffices];
            Draw likely{drawn[suffices].front(), std::nullopt};
            if (!others.empty()) {
                std::size_t const draws_made = most + others.size();
                likely.other = AlternativeSample{value_of(others.front(), seed),
                                                 static_cast<double>(others.size()) /
                                                     static_cast<double>(draws_made),
                                                 static_cast<int>(draws_made)};
            }
            return likely;
        }
        std::uint64_t const before = value_of(next, seed);
        set_value(next, seed, before < seed.most ? before + 1 : seed.least);
    }
}

/// The steps of RMG sort with splitters in place of digits; each GPU then divides its buckets
/// further, down to leaves.
Expected<Schedule> sample_schedule(ScheduleInput const& input, OwnSort own_sort) {
    if (!input.device.fast) {
        return tl::unexpected(missing_fast_costs(input.device));
    }
    if (input.config.gpu_count == 1) {
        return sort_on_one_gpu(input, own_sort);
    }
    Draw const& draw = input.facts->of("draw", [&input] {
        return input.sample == DrawnSample::likely ? likely_draw(input)
                                                   : Draw{input.config, std::nullopt};
    });
    KEYSWAP_TRY(auto const shared_plan, input.facts->of("plan", [&input, &draw] {
        DrawsOfAnySize const draws(input, draw.config);
        return model::plan_refined_sort(draw.config, draws, *input.keys).map([](model::Plan plan) {
            return std::make_shared<model::Plan const>(std::move(plan));
        });
    }));
    model::Plan const& plan = *shared_plan;
    bool const in_rounds = own_sort == OwnSort::splitters && input.swap == SwapOrder::flat &&
                           input.config.key_count > 0 && one_pass_places_all(plan);
    ScheduleBuilder builder(input);
    Schedule schedule;
    schedule.other_draw = draw.other;
    builder.upload(plan.chunks);
    add_images(builder, input.config, FastKernels{input.device});
    add_splitter_passes(builder, plan, input.device);
    if (in_rounds) {
        schedule.copies = add_sorted_rounds(builder, input, plan);
    } else {
        schedule.copies = add_rotated_swap(builder, plan);
        builder.barrier();
        sort_ranges(builder, plan, input.device, own_sort);
    }
    schedule.sort_calls = plan.sort_groups.size();
    schedule.passes = plan.pass_count();
    schedule.graph = std::move(builder.graph);
    return schedule;
}

} // namespace

ScheduleKind const& sample_sort_schedule() {
    static constexpr ScheduleKind kind{
        "sample-sort",
        "fast",
        [](ScheduleInput const& input) { return sample_schedule(input, OwnSort::splitters); },
        labelled_memory,
        SwapOrders::flat_or_by_node};
    return kind;
}

ScheduleKind const& sample_sort_paper_schedule() {
    static constexpr ScheduleKind kind{
        "sample-sort",
        "paper",
        [](ScheduleInput const& input) { return sample_schedule(input, OwnSort::published); },
        published_sample_memory,
        SwapOrders::flat_or_by_node};
    return kind;
}

} // namespace keyswap::simulator
