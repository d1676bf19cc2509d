#include "simulator/schedules/fast_steps.hpp"

#include "kernels/exchange_plan/fast_tuning.hpp"
#include "kernels/exchange_plan/upload_pieces.hpp"
#include "simulator/cost/cost_model_skew.hpp"
#include "simulator/schedules/crowding.hpp"
#include "simulator/schedules/exchange_plan.hpp"
#include "simulator/schedules/round_swap.hpp"
#include "simulator/schedules/tree_readings.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::simulator {

namespace {

/// True if counting can sort what one pass and one step leave.
bool counting_fits(model::Plan const& plan) {
    return plan.layout.key_bits() == 32 &&
           plan.layout.bits_below(1) == wide_step_bits + counting_bits &&
           plan.config.value_type == ValueType::none;
}

/// True if some GPU's sample indicates more than `most` keys in a stretch of 2^shift images.
bool crowds(model::Plan const& plan, model::KeySource& keys, int shift, std::uint64_t most) {
    for (GpuId gpu{0}; gpu.value < plan.config.gpu_count; ++gpu.value) {
        if (fullest_stretch(keys, plan.chunks.of(gpu), shift) > most) {
            return true;
        }
    }
    return false;
}

/// True if a GPU that sorts alone would divide a chunk's number of keys by digits; then each GPU
/// sorts its buckets by levels.
bool sorts_by_levels(model::Plan const& plan) {
    auto const row = digit_row_of(plan.config);
    return row && plan.chunks.size() >= row->least_keys;
}

/// Chooses each round's sort: counting for 32-bit keys without values and with 24 bits left after
/// one pass, if stretches of 2^15 adjacent images hold >= 3,072 keys on average and, by 4,096
/// sampled keys of each GPU, none holds far more; else levels or steps.
kernels::BucketSort round_sort_of(model::Plan const& plan, model::KeySource& keys) {
    if (plan.pass_count() == 1 && counting_fits(plan) &&
        kernels::fit_counting(final_buckets(plan), kernels::FastTuning{}.counting_min) &&
        !crowds(plan, keys, counting_bits, counted_keys_max)) {
        return kernels::BucketSort::counting;
    }
    return sorts_by_levels(plan) ? kernels::BucketSort::levels : kernels::BucketSort::steps;
}

/// The steps of one sort.
class FastSteps {
  public:
    /// \pre input.device.fast has a value; the arguments outlive the object
    FastSteps(ScheduleBuilder& builder, ScheduleInput const& input, model::Plan const& plan)
        : builder_(builder), plan_(plan), keys_(*input.keys), device_(input.device),
          facts_(*input.facts), kernels_(input.device), record_(builder.record()),
          order_(positional_order(plan)),
          sample_(facts_.of(
              "sample", [&] { return sorts_by_pieces(plan) ? sample_keys(keys_) : KeySample{}; })),
          buckets_(facts_.of("buckets", [&] { return final_buckets(plan); })),
          ties_(plan.config.ties()) {
        std::ranges::transform(
            sample_.images, std::back_inserter(images_), [](model::uint128 image) {
                return static_cast<std::uint64_t>(image);
            });
    }

    /// Copies keys from host memory in pieces, overlapped with counting; values follow later.
    void add_upload() {
        for (GpuId gpu{0}; gpu.value < plan_.config.gpu_count; ++gpu.value) {
            std::uint64_t const keys = plan_.chunks.of(gpu).size();
            if (!builder_.needs_upload(gpu.value)) {
                return;
            }
            Incoming& own = incoming_.emplace_back();
            own.stream = builder_.add_stream(gpu.value, "copies in");
            std::uint64_t const pieces = kernels::upload_piece_count(keys, std::nullopt);
            for (std::uint64_t i = 0; i < pieces; ++i) {
                std::uint64_t const count = keys * (i + 1) / pieces - keys * i / pieces;
                TaskId const come =
                    builder_.upload_piece(gpu.value,
                                          own.stream,
                                          count * record_.key,
                                          i == 0 ? QueuedPiece::first : QueuedPiece::later);
                own.pieces.push_back({count, come});
            }
        }
    }

    /// Adds each pass's histograms, their exchange and the placement. If levels follow, a reading
    /// may count several passes, as far as a sample shows what these refine.
    void add_counts() {
        TreeReadings readings = tree_readings(plan_, images_);
        auto next = readings.trees.begin();
        first_reads_digits_ =
            !readings.passes.empty() && readings.passes.front() == PassReading::digits;
        for (std::size_t i = 0; i < plan_.passes.size(); ++i) {
            int const pass = plan_.passes[i].pass;
            PassReading const reading = readings.passes[i];
            if (reading == PassReading::tree) {
                tree_ = counted(std::move(*next++), plan_, keys_);
            }
            for (GpuId gpu{0}; gpu.value < plan_.config.gpu_count; ++gpu.value) {
                if (reading == PassReading::tree) {
                    count_tree(pass, gpu.value, *tree_);
                } else if (reading == PassReading::digits) {
                    count(pass, gpu.value, plan_.chunks.of(gpu).size());
                }
            }
            if (reading != PassReading::none) { // else the host places by known counts
                FastCosts const& fast = *device_.fast;
                plan_pass(pass,
                          fast.plan_us + (reading == PassReading::tree ? fast.plan_tree_us : 0.0));
            }
        }
        add_values_upload();
        if (tree_ && readings.passes.back() != PassReading::digits) {
            pieces_ = kernels::scatter_pieces(tree_->tree,
                                              tree_->counts,
                                              buckets_,
                                              plan_.config.key_count,
                                              leaf_keys_of(record_));
        }
    }

    /// Likewise with a scatter in each pass, whose result the next pass refines; used if no levels
    /// follow.
    void add_passes() {
        for (model::PassPlan const& pass : plan_.passes) {
            for (std::uint32_t gpu = 0; gpu < plan_.config.gpu_count; ++gpu) {
                std::uint64_t keys = 0;
                for (model::BucketHistogram const& histogram : pass.histograms) {
                    keys += keys_in(histogram.of(GpuId{gpu}));
                }
                count(pass.pass, gpu, keys);
            }
            plan_pass(pass.pass, device_.fast->plan_us);
            if (pass.pass == 1) {
                add_values_upload();
            }
            std::vector<BlockSpreads> spreads;
            for (model::BucketHistogram const& histogram : pass.histograms) {
                spreads.emplace_back(histogram, order_, unstable_tile_keys(record_));
            }
            for (std::uint32_t gpu = 0; gpu < plan_.config.gpu_count; ++gpu) {
                scatter(pass, gpu, spreads);
            }
            builder_.barrier();
        }
    }

    /// Adds the scatter, then rounds of copies and sorts. \pre one pass places every bucket, or the
    /// sort is by levels \return the number of copies between GPUs
    std::size_t add_rounds(kernels::BucketSort sort) {
        if (sort == kernels::BucketSort::levels) {
            return add_level_rounds();
        }
        ExchangePlan const& exchange = facts_.of("rounds", [&] {
            return exchange_of(
                exchange_rounds(
                    plan_, buckets_, shares_of_buckets(sort), plan_.layout.bits_below(1)),
                fill_min());
        });
        scatter_to_rounds(facts_.of("labels", [&] { return scatter_labels(exchange.segments); }),
                          sort);
        std::uint32_t const gpus = plan_.config.gpu_count;
        auto const sort_round = [&](std::size_t round, TasksBefore before) {
            LastTasks last(gpus);
            for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
                kernels::RoundRange const& range = exchange.rounds.ranges[gpu][round];
                RoundKeys const keys{range.end - range.begin,
                                     range.end_bucket - range.first_bucket};
                if (keys.count > 0) {
                    last[gpu] = sort_keys(gpu, keys, sort, std::move(before[gpu]));
                }
            }
            return last;
        };
        return add_round_swap(builder_, device_, exchange, RoundCalls::ahead, sort_round);
    }

  private:
    struct IncomingPiece {
        std::uint64_t keys = 0;
        TaskId come;
    };
    /// A GPU's keys on their way from host memory, and the stream that copies them.
    struct Incoming {
        StreamId stream;
        std::vector<IncomingPiece> pieces;
    };
    /// Size of one GPU's sort in one round.
    struct RoundKeys {
        std::uint64_t count = 0;
        std::uint64_t buckets = 0;
    };

    /// Histograms are combined and buckets placed on the first GPU, while the host waits.
    void plan_pass(int pass, double host_us) {
        builder_.barrier();
        builder_.host_work(host_us, Phase::planning, pass);
        builder_.barrier();
    }

    /// Copies the values in; later tasks wait. \pre the first pass has its barrier
    void add_values_upload() {
        if (incoming_.empty() || record_.value == 0) {
            return;
        }
        builder_.add(Task{}, std::nullopt); // makes the next barrier wait for the last one
        for (GpuId gpu{0}; gpu.value < plan_.config.gpu_count; ++gpu.value) {
            std::uint64_t const keys = plan_.chunks.of(gpu).size();
            if (keys > 0) {
                builder_.upload_piece(gpu.value,
                                      incoming_[gpu.value].stream,
                                      keys * record_.value,
                                      QueuedPiece::later);
            }
        }
        builder_.barrier();
    }

    /// Adds a kernel that reads all keys, or in the first pass one for each incoming piece.
    /// \param cost_of maps a number of keys to a KernelCost
    template <class CostOf>
    void add_reading(int pass, std::uint32_t gpu, std::uint64_t keys, CostOf cost_of) {
        auto const task_of = [&](std::uint64_t count) {
            return builder_.kernel_task(gpu, cost_of(count), device_.fast->launch_us, pass);
        };
        if (pass == 1 && !incoming_.empty()) {
            for (IncomingPiece const& piece : incoming_[gpu].pieces) {
                builder_.add_after(
                    task_of(piece.keys), Phase::histogram, std::span{&piece.come, 1});
            }
        } else if (keys > 0) {
            builder_.add(task_of(keys), Phase::histogram);
        }
    }

    void count(int pass, std::uint32_t gpu, std::uint64_t keys) {
        add_reading(pass, gpu, keys, [this](std::uint64_t count) {
            return kernels_.histogram(record_.key, count);
        });
    }

    void count_tree(int pass, std::uint32_t gpu, CountedTree const& tree) {
        add_reading(pass, gpu, plan_.chunks.of(GpuId{gpu}).size(), [&](std::uint64_t count) {
            return kernels_.tree_histogram(record_.key, count, tree.tree.counted().depth);
        });
    }

    /// Scatters parts with keys of at least two digits: one launch for all with the unstable step,
    /// or with values one stable sort on the digit's bits each. The smaller of what the pass moved
    /// to the other buffer and what it left is copied, so that all keys are in one buffer.
    /// \param spreads [histograms of the pass]
    void scatter(model::PassPlan const& pass, std::uint32_t gpu, std::span<BlockSpreads> spreads) {
        std::uint64_t const chunk = plan_.chunks.of(GpuId{gpu}).size();
        KernelCost sum;
        std::uint64_t moved = 0;
        int parts = 0;
        for (std::size_t bucket = 0; bucket < pass.histograms.size(); ++bucket) {
            auto const counts = pass.histograms[bucket].of(GpuId{gpu});
            std::uint64_t const keys = keys_in(counts);
            if (std::ranges::count_if(counts, [](std::uint64_t count) { return count > 0; }) < 2) {
                continue;
            }
            sum += record_.value > 0
                       ? kernels_.stable_step(record_, keys)
                       : kernels_.unstable_step(record_, keys, spreads[bucket].of(GpuId{gpu}));
            moved += keys;
            ++parts;
        }
        if (parts == 0) {
            return;
        }
        std::uint64_t const copied = std::min(moved, chunk - moved);
        sum += kernels_.copy(copied * record_.sum());
        int const launches = 2 + (copied > 0 ? parts : 0);
        sum.cold_slowdown = device_.cold_memory;
        builder_.add(builder_.kernel_task(gpu, sum, launches * device_.fast->launch_us, pass.pass),
                     Phase::scatter);
    }

    /// Every key moves once. If the order of values matters, the step is stable.
    void scatter_to_rounds(model::BucketHistogram const& labels, kernels::BucketSort sort) {
        bool const is_stable = record_.value > 0 &&
                               (sort != kernels::BucketSort::levels || ties_ == Stability::stable);
        BlockSpreads spreads(labels, order_, unstable_tile_keys(record_));
        for (GpuId gpu{0}; gpu.value < plan_.config.gpu_count; ++gpu.value) {
            std::uint64_t const keys = plan_.chunks.of(gpu).size();
            if (keys == 0) {
                continue;
            }
            BlockSpread const spread = spreads.of(gpu);
            KernelCost cost = is_stable ? kernels_.stable_step(record_, keys)
                              : plan_.pass_count() == 1
                                  ? kernels_.unstable_step(record_, keys, spread)
                                  : kernels_.range_step(record_, keys, spread);
            cost.cold_slowdown = device_.cold_memory;
            builder_.add(builder_.kernel_task(gpu.value, cost, 2 * device_.fast->launch_us, 1),
                         Phase::scatter);
        }
        builder_.barrier();
    }

    /// True if the first pass counts one bit more than its digit.
    [[nodiscard]] bool counts_halves() const {
        return plan_.pass_count() == 1 && !tree_ && ties_ == Stability::unstable &&
               plan_.layout.bits_of(1) == step_bits && plan_.layout.bits_below(1) > 0 &&
               !counting_fits(plan_);
    }

    /// True if digits divide halves of buckets.
    [[nodiscard]] bool uses_halves() const {
        return counts_halves() && kernels::use_half_digits(buckets_, leaf_keys_of(record_));
    }

    /// True if the first pass counts 17 or 18 bits, which levels and steps then need not count.
    [[nodiscard]] bool counts_leading() {
        std::uint64_t const chunk = plan_.chunks.size();
        return first_reads_digits_ && incoming_.empty() && sorts_by_levels(plan_) &&
               plan_.config.gpu_count <= kernels::leading_gpus_max &&
               kernels::counts_leading_bits(
                   chunk, shape_of(record_).key_bytes, kernels::leading_bytes_min) &&
               !facts_.of("leading bits crowd", [&] {
                   return crowds(plan_,
                                 keys_,
                                 plan_.layout.key_bits() - leading_bits_of(record_),
                                 chunk * kernels::leading_samples_max / crowding_samples);
               });
    }

    [[nodiscard]] bool has_crowded_keys() {
        std::uint32_t const leaf = leaf_keys_of(record_);
        std::uint64_t const count = plan_.config.key_count;
        return record_.key == 8 && ties_ == Stability::unstable && count > leaf &&
               crowds(plan_,
                      keys_,
                      plan_.layout.key_bits() - kernels::bits_to_leaves(count, leaf),
                      crowded_leaves * leaf / plan_.config.gpu_count);
    }

    [[nodiscard]] std::span<int const> shares_of_buckets(kernels::BucketSort sort) const {
        std::span<int const> const shares =
            kernels::round_shares(round_demand(plan_, builder_.needs_download(0), sort));
        return plan_.pass_count() == 1 && !tree_
                   ? shares
                   : kernels::shares_by_ranges(
                         shares, plan_.config.gpu_count, plan_.layout.bits_of(1));
    }

    /// Values must travel with their keys, so runs of one key can only be filled in without values.
    [[nodiscard]] std::optional<std::uint64_t> fill_min() const {
        return record_.value == 0 ? std::optional(kernels::filled_keys_min) : std::nullopt;
    }

    /// Rounds of pieces if a tree was counted, else of buckets or halves of buckets.
    [[nodiscard]] ExchangePlan level_rounds(bool by_splitters) {
        constexpr int none_as_one = 0;
        constexpr auto sort = kernels::BucketSort::levels;
        int const bits_below_first = plan_.layout.bits_below(1);
        kernels::SwapRounds rounds =
            pieces_.empty()
                ? exchange_rounds(plan_, buckets_, shares_of_buckets(sort), bits_below_first)
                : exchange_rounds(
                      plan_,
                      kernels::buckets_of(pieces_),
                      kernels::round_shares(round_demand(plan_, builder_.needs_download(0), sort)),
                      none_as_one);
        if (!by_splitters && uses_halves()) {
            rounds.segments =
                kernels::halved(rounds.segments, half_counts(plan_, keys_), bits_below_first);
        }
        ExchangePlan exchange = exchange_of(std::move(rounds), fill_min());
        if (!by_splitters) {
            count_children(exchange.sorted, keys_);
        }
        return exchange;
    }

    [[nodiscard]] std::size_t add_level_rounds() {
        bool const is_divided = !pieces_.empty() && !kernels::is_crowded(pieces_, images_);
        bool const by_splitters =
            !is_divided && facts_.of("keys crowd", [this] { return has_crowded_keys(); });
        ExchangePlan const& exchange =
            facts_.of("rounds", [&] { return level_rounds(by_splitters); });
        scatter_to_rounds(facts_.of("labels", [&] { return scatter_labels(exchange.segments); }),
                          kernels::BucketSort::levels);
        int const segment_bits = plan_.layout.bits_of(1) + (uses_halves() ? 1 : 0);
        int const known_bits = counts_leading() ? leading_bits_of(record_) - segment_bits : 0;
        return add_arrived_rounds(
            builder_, device_, exchange, [&](std::vector<LocalSegment> const& segments) {
                if (by_splitters) {
                    return arrived_by_splitters(kernels_,
                                                record_,
                                                segments,
                                                sample_,
                                                digit_segments_max,
                                                image_code_of(builder_));
                }
                DigitLevels levels = digit_levels(segments, SegmentPlace::arrived, record_, order_);
                levels.known_bits = known_bits;
                levels.first_counts = false;
                return digit_batches(kernels_, record_, ties_, levels);
            });
    }

    /// Sorts without levels: a step per digit from the lowest up, or one step and counting.
    TaskId sort_keys(std::uint32_t gpu,
                     RoundKeys keys,
                     kernels::BucketSort sort,
                     std::vector<TaskId> after) {
        // Tiles, clearing of counters, counts, their sums; each step clears its allocation
        // counters.
        constexpr int count_launches = 4;
        constexpr int step_launches = 2;
        int const bits_left = plan_.layout.bits_below(1);
        bool const counting = sort == kernels::BucketSort::counting;
        int const digits = counting ? 1 : (bits_left + step_bits - 1) / step_bits;
        bool const is_counted = counting && counts_leading();
        after.push_back(
            builder_.host_calls(gpu, count_launches + digits * step_launches + (counting ? 1 : 0)));
        builder_.launch_kernels(gpu,
                                kernels_.count(record_.key, is_counted ? 0 : keys.count, digits),
                                count_launches,
                                Phase::bucket_sort,
                                after);
        if (counting) {
            KernelCost const step = kernels_.unstable_step(record_, keys.count, wide_step_bits);
            builder_.launch_kernels(gpu, step, step_launches, Phase::bucket_sort, {});
            return builder_.launch_kernels(
                gpu,
                kernels_.counting_sort(keys.count, keys.buckets << wide_step_bits),
                1,
                Phase::bucket_sort,
                {});
        }
        TaskId last{};
        for (int digit = 0; digit < digits; ++digit) {
            bool const is_unstable = digit == 0 && record_.value == 0;
            int const bits = std::min(step_bits, bits_left - digit * step_bits);
            last = builder_.launch_kernels(gpu,
                                           is_unstable
                                               ? kernels_.unstable_step(record_, keys.count, bits)
                                               : kernels_.stable_step(record_, keys.count),
                                           step_launches,
                                           Phase::bucket_sort,
                                           {});
        }
        return last;
    }

    ScheduleBuilder& builder_;
    model::Plan const& plan_;
    model::KeySource& keys_;
    DeviceProfile const& device_;
    KeyFacts& facts_;
    FastKernels kernels_;
    RecordBytes record_;
    double order_;                        ///< positional_order of the keys
    std::vector<Incoming> incoming_{};    ///< [g] empty unless keys come from host memory
    KeySample sample_;                    ///< empty unless by pieces
    std::vector<std::uint64_t> images_{}; ///< of sample_
    std::vector<kernels::FinalBucket> const& buckets_;
    Stability ties_;
    std::optional<CountedTree> tree_;          ///< counts of several passes
    bool first_reads_digits_ = false;          ///< no tree in the first pass
    std::vector<kernels::SwapPiece> pieces_{}; ///< scattered instead of buckets
};

} // namespace

bool sorts_by_pieces(model::Plan const& plan) {
    return sorts_by_levels(plan) && plan.config.ties() == Stability::unstable;
}

void add_counts(ScheduleBuilder& builder, ScheduleInput const& input, model::Plan const& plan) {
    FastSteps steps(builder, input, plan);
    steps.add_upload();
    steps.add_counts();
}

void add_passes(ScheduleBuilder& builder, ScheduleInput const& input, model::Plan const& plan) {
    FastSteps steps(builder, input, plan);
    steps.add_upload();
    steps.add_passes();
}

std::size_t
add_rounds(ScheduleBuilder& builder, ScheduleInput const& input, model::Plan const& plan) {
    FastSteps steps(builder, input, plan);
    steps.add_upload();
    steps.add_counts();
    return steps.add_rounds(round_sort_of(plan, *input.keys));
}

} // namespace keyswap::simulator
