#include "kernels/sorts/rmg/fast_sort.hpp"

#include "kernels/exchange_plan/swap_pieces.hpp"
#include "kernels/local/local_sort.hpp"
#include "kernels/primitives/steps/leading_counts.hpp"
#include "kernels/sorts/rmg/digit_counts.hpp"
#include "kernels/sorts/rmg/round_sort.hpp"

namespace keyswap::kernels {

namespace {

/// Scatters a GPU's chunk from buffer 0 to the segments' send locations in buffer 1.
void scatter_chunk(FastRun const& run, GpuState const& gpu) {
    FastMemory const& fast = fast_memory(gpu);
    SegmentParts const& chunk = run.tables_of(gpu).chunk;
    chunk.queue_tiles(gpu.stream, fast.tiles);
    DigitStep step = step_between(gpu, 0);
    step.tiles = fast.tiles.data();
    step.tile_count = chunk.tile_count();
    step.bins = fast.scatter_bins.data();
    step.bins_stride = step_bins;
    step.encode = run.context.code;
    if (run.scatter_digit) {
        step.shift = run.scatter_digit->begin;
        step.bits = run.scatter_digit->end - run.scatter_digit->begin;
    } else {
        step.shift = run.bits_left();
        step.bits = run.context.key_shape.bits_of(1);
        step.ranges = fast.labels.data();
    }
    launch_first_step(run, gpu, step);
}

/// Gives each GPU the sum of all GPUs' counts by leading bits.
void share_leading_counts(FastRun const& run) {
    RunContext const& context = run.context;
    std::uint32_t const gpus = context.rule.gpu_count;
    std::size_t const bytes = leading_words(context.shape.key_bytes) * sizeof(std::uint32_t);
    auto const row = [&context](GpuState const& gpu, std::uint32_t number) {
        return leading_counts_of(context, gpu, number);
    };
    for (GpuState const& gpu : run.gpus) {
        DeviceScope const scope{gpu.device};
        void const* const own = row(gpu, gpu.id.value).words;
        if (context.ranks != nullptr) {
            context.ranks->all_gather(
                gpu.stream, "histogram exchange", own, row(gpu, 0).words, bytes);
            continue;
        }
        for (GpuState const& other : run.gpus) {
            if (other.id != gpu.id) {
                void* const to = row(other, gpu.id.value).words;
                copy_async(gpu.stream, other.device, to, gpu.device, own, bytes);
            }
        }
        gpu.resources->ready.record(gpu.stream);
    }
    for (GpuState const& gpu : run.gpus) {
        DeviceScope const scope{gpu.device};
        if (context.ranks == nullptr) {
            for (GpuState const& other : run.gpus) {
                other.resources->ready.make_wait(gpu.stream);
            }
        }
        launch_leading_sum(
            gpu.stream, context.shape.key_bytes, row(gpu, 0).words, gpus, row(gpu, gpus));
    }
}

void scatter_chunks(FastRun& run) {
    if (run.has_leading_counts) {
        share_leading_counts(run);
    }
    for (GpuState const& gpu : run.gpus) {
        DeviceScope const scope{gpu.device};
        auto const phase = begin_phase(run.context, gpu, Phase::scatter, 1);
        run.tables.push_back(upload_tables(run, gpu));
        scatter_chunk(run, gpu);
        run.context.clock->end(phase);
    }
}

static_assert(scatter_ranges_max == range_labels_max);

std::span<int const> shares_of_buckets(SortCall const& call, BucketSort sort, bool by_ranges) {
    RunContext const& context = call.context;
    std::span<int const> const shares = round_shares(round_demand(call, sort));
    return by_ranges
               ? shares_by_ranges(shares, context.rule.gpu_count, context.key_shape.bits_of(1))
               : shares;
}

/// Pieces for the scatter to distinguish; empty (buckets instead) without a digit tree.
std::vector<SwapPiece> pieces_of(RunContext const& context, FastPasses const& passes) {
    return passes.tree ? scatter_pieces(*passes.tree,
                                        passes.tree_counts,
                                        passes.partition->buckets,
                                        context.key_count,
                                        leaf_of(context))
                       : std::vector<SwapPiece>{};
}

/// Rounds of pieces, if a digit tree was counted, otherwise of buckets.
SwapRounds rounds_of(SortCall const& call,
                     FastPasses const& passes,
                     std::span<SwapPiece const> pieces,
                     std::span<OwnershipRecord const> ownership,
                     BucketSort sort) {
    RunContext const& context = call.context;
    Partition const& partition = *passes.partition;
    if (pieces.empty()) {
        bool const by_ranges = partition.passes > 1 || passes.tree;
        return plan_rounds(context,
                           partition.buckets,
                           ownership,
                           call.key_capacity,
                           shares_of_buckets(call, sort, by_ranges),
                           context.key_shape.bits_below(1));
    }
    constexpr int all_bits = 0; // no two pieces are sorted as one
    SwapRounds rounds = plan_rounds(context,
                                    buckets_of(pieces),
                                    ownership,
                                    call.key_capacity,
                                    round_shares(round_demand(call, sort)),
                                    all_bits);
    assign_buckets(rounds.segments, pieces);
    return rounds;
}

/// Enables fills for keys without values; values would make equal keys differ.
SwapSends sends_of(RunContext const& context, SwapRounds const& rounds) {
    std::optional<std::uint64_t> keys_min;
    if (context.shape.value_bytes == 0) {
        keys_min = context.tuning.fill_min.value_or(filled_keys_min);
    }
    return swap_sends(rounds.plan, rounds.segments, keys_min);
}

/// The method for crowded keys; if there are pieces, they have already divided most of these.
LevelMethod levels_of(RunContext const& context,
                      std::vector<GpuState> const& gpus,
                      FastPasses const& passes,
                      std::span<SwapPiece const> pieces) {
    return !pieces.empty() && !is_crowded(pieces, passes.sample) ? LevelMethod::digits
                                                                 : level_method(context, gpus);
}

BucketSort bucket_sort_of(RunContext const& context,
                          std::vector<GpuState> const& gpus,
                          FastPasses const& passes) {
    Partition const& partition = *passes.partition;
    bool const counting = partition.passes == 1 && !passes.tree && counting_fits(context) &&
                          use_counting(context, gpus, partition.buckets);
    return counting                    ? BucketSort::counting
           : use_levels(context, gpus) ? BucketSort::levels
                                       : BucketSort::steps;
}

} // namespace

void wake_links(RunContext const& context, std::vector<GpuState> const& gpus) {
    constexpr std::uint64_t keys_worth_waking = std::uint64_t{1} << 20; // 4 us per call
    if (context.ranks != nullptr || context.rule.chunk_size < keys_worth_waking) {
        return;
    }
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        GpuState const& next = gpus[(i + 1) % gpus.size()];
        FastMemory const& fast = fast_memory(gpus[i]);
        // The next GPU writes this memory only after it has waited for this stream's first round.
        DeviceBuffer<std::uint32_t> const& target = fast_memory(next).bins;
        if (gpus[i].device != next.device) {
            copy_async(fast.rounds.send.get(),
                       next.device,
                       target.data(),
                       gpus[i].device,
                       fast.bins.data(),
                       std::min(fast.bins.size(), target.size()) * sizeof(std::uint32_t));
        }
    }
}

FastPasses fast_passes(RunContext const& context, std::vector<GpuState>& gpus) {
    NvtxRange const range{"partitioning passes"};
    DigitCounts rule{context, gpus, half_digits(context, gpus)};
    FastPasses passes{first_pass(context, gpus, rule), std::nullopt};
    if (passes.first.places_all()) {
        passes.partition = record_single_pass(context, rule, std::move(passes.first));
        passes.halves = rule.halves();
    } else if (use_pieces(context, gpus)) {
        passes.partition = partition(context, gpus, rule, std::move(passes.first));
    }
    passes.has_leading_counts = rule.has_leading_counts();
    if (passes.partition && rule.tree()) {
        passes.tree = rule.tree();
        passes.tree_counts = rule.tree_counts();
        passes.sample = rule.sample();
    }
    return passes;
}

std::vector<OwnershipRecord> fast_sort(SortCall const& call, FastPasses passes) {
    RunContext const& context = call.context;
    std::vector<GpuState>& gpus = call.gpus;
    Partition const& partition = *passes.partition;
    std::vector<FinalBucket> const& buckets = partition.buckets;
    std::vector<OwnershipRecord> ownership = ownership_of(buckets, context.rule, context.key_count);
    BucketSort const sort = bucket_sort_of(context, gpus, passes);
    int const bits_below = context.key_shape.bits_below(1);
    std::vector<SwapPiece> const pieces = pieces_of(context, passes);
    SwapRounds rounds = rounds_of(call, passes, pieces, ownership, sort);
    LevelMethod const levels =
        sort == BucketSort::levels ? levels_of(context, gpus, passes, pieces) : LevelMethod::digits;
    bool const by_halves = sort == BucketSort::levels && levels == LevelMethod::digits &&
                           !passes.halves.empty() && use_half_digits(buckets, leaf_of(context));
    if (by_halves) {
        rounds.segments = halved(rounds.segments, passes.halves, bits_below);
    }
    std::optional<BitWindow> digit;
    if (partition.passes == 1 && !passes.tree) {
        digit = BitWindow{bits_below - (by_halves ? 1 : 0), context.key_shape.key_bits};
    }
    RangeTable table;
    if (!digit) {
        table = range_table(scatter_labels(rounds.segments, 0),
                            passes.tree.value_or(DigitTree{context.key_shape}));
    }
    FastRun run{{context, gpus, buckets, ownership, rounds},
                digit,
                std::move(table),
                sort,
                levels,
                passes.has_leading_counts};
    SwapSends const sends = sends_of(context, rounds);
    RoundSwap swap{run, sends};
    swap.result_buffer = run.result_place();
    swap.at_once =
        context.trace != nullptr || context.ranks != nullptr || sort == BucketSort::levels;
    swap.scatter = [&run] { scatter_chunks(run); };
    swap.sort_rounds = [&run](RoundSteps const& steps) { sort_rounds(run, steps); };
    for (GpuState const& gpu : gpus) {
        swap.streams.push_back(&fast_memory(gpu).rounds);
    }
    swap_and_sort(std::move(swap), call.host);
    return ownership;
}

} // namespace keyswap::kernels
