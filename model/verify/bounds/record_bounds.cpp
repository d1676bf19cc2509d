#include "model/verify/bounds/record_bounds.hpp"

#include "model/buckets/chunks.hpp"
#include "model/buckets/parts_per_million.hpp"
#include "model/verify/bounds/plausible_time.hpp"
#include "model/verify/bounds/possible.hpp"
#include "model/verify/expected/expected_run.hpp"
#include "model/verify/record_text.hpp"
#include "model/verify/run_checks.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace keyswap::model::verify {

namespace {

bool fits(std::uint64_t begin, std::uint64_t count, std::uint64_t size) {
    return begin <= size && count <= size - begin;
}

std::string from_text(std::uint64_t begin, std::uint64_t count) {
    return keys_text(count) + " from " + std::to_string(begin) + " on";
}

/// Maximum number of keys in a GPU's memory for any sort: all keys, or RMG sort's C + 2E, which is
/// larger for few GPUs. Tighter limits are part of each sort's plan.
std::uint64_t memory_keys(SortConfig const& config) {
    Chunks const chunks(config.key_count, config.gpu_count);
    std::uint64_t const tolerance = parts_per_million(chunks.size(), config.tolerance_ppm);
    return std::max(config.key_count, chunks.size() + 2 * tolerance);
}

/// More keys than any GPU's memory holds: 2^37 of 4 bytes are 550 GB.
constexpr std::uint64_t device_keys_max = std::uint64_t{1} << 37;

/// Layouts other than by_bucket place a chunk anywhere in the sort's memory, and a sorter may have
/// been built for more keys than this run has.
bool chunks_lie_anywhere(RunHeader const& header) {
    auto layout = header.layout;
    if (!layout) {
        if (auto const choice = choose(header.algorithm, header.variant)) {
            layout = choice->variant->layout;
        }
    }
    return layout && *layout != SwapLayout::by_bucket;
}

/// Overloads of() check a record of each type.
class Bounds {
  public:
    Bounds(SortConfig const& config, RecordedRun const& run)
        : key_count_(config.key_count), gpu_count_(config.gpu_count),
          memory_keys_(memory_keys(config)),
          chunk_memory_keys_(chunks_lie_anywhere(run.header) ? device_keys_max : memory_keys_),
          space_(bucket_space_of(config, run)) {}

    [[nodiscard]] Possible of(HistogramRecord const& record) const {
        KEYSWAP_RETURN_IF_ERROR(gpu(record.gpu));
        KEYSWAP_RETURN_IF_ERROR(bucket(record.bucket, 0, space_.pass_count() - 1));
        // The comparison with the plan checks a function's number of children.
        std::size_t const digits = std::size_t{1} << space_.bits_of(record.bucket.pass + 1);
        if (!record.function && record.counts.size() != digits) {
            return misfit(std::to_string(digits) + " digits", std::to_string(record.counts.size()));
        }
        if (record.step && !record.function) {
            return misfit("no step, as a digit of a pass is counted",
                          "step " + std::to_string(*record.step));
        }
        return in_memory(record.offset, 0);
    }
    [[nodiscard]] Possible of(PlacementRecord const& record) const {
        KEYSWAP_RETURN_IF_ERROR(bucket(record.bucket, 1, space_.pass_count()));
        if (record.first > record.last) {
            return misfit("a first GPU that is not after the last",
                          "GPUs " + std::to_string(record.first.value) + " to " +
                              std::to_string(record.last.value));
        }
        KEYSWAP_RETURN_IF_ERROR(gpu(record.last));
        if (record.begin > record.end || record.end > key_count_) {
            return misfit("keys within " + range_text(0, key_count_),
                          range_text(record.begin, record.end));
        }
        return {};
    }
    [[nodiscard]] Possible of(OwnershipRecord const& record) const {
        KEYSWAP_RETURN_IF_ERROR(gpu(record.gpu));
        // The base of an empty range is unspecified.
        if (record.count > 0 && !fits(record.base, record.count, key_count_)) {
            return misfit("keys within " + range_text(0, key_count_),
                          from_text(record.base, record.count));
        }
        return {};
    }
    [[nodiscard]] Possible of(CopyRecord const& record) const {
        for (GpuId const end : {record.source, record.destination}) {
            KEYSWAP_RETURN_IF_ERROR(gpu(end));
        }
        KEYSWAP_RETURN_IF_ERROR(stage(record.stage));
        KEYSWAP_RETURN_IF_ERROR(in_memory(record.source_offset, record.count, chunk_memory_keys_));
        return in_memory(record.destination_offset, record.count);
    }
    [[nodiscard]] Possible of(MergeRecord const& record) const {
        if (record.gpu) {
            KEYSWAP_RETURN_IF_ERROR(gpu(*record.gpu));
        }
        KEYSWAP_RETURN_IF_ERROR(stage(record.stage));
        std::uint64_t end = record.offset;
        for (std::uint64_t const run : record.runs) {
            KEYSWAP_RETURN_IF_ERROR(in_memory(end, run));
            end += run;
        }
        return in_memory(end, 0);
    }
    [[nodiscard]] Possible of(SortRangeRecord const& record) const {
        KEYSWAP_RETURN_IF_ERROR(gpu(record.gpu));
        if (!fits(record.offset, record.count, key_count_)) {
            return misfit("keys within " + range_text(0, key_count_),
                          from_text(record.offset, record.count));
        }
        return {};
    }
    [[nodiscard]] Possible of(DigestRecord const& record) const {
        KEYSWAP_RETURN_IF_ERROR(gpu(record.gpu));
        if (record.step && record.stage != DigestStage::after_step) {
            return misfit("no step, as it is of another stage",
                          "step " + std::to_string(*record.step));
        }
        return bucket(record.bucket, 0, space_.pass_count());
    }

  private:
    [[nodiscard]] Possible gpu(GpuId gpu) const {
        if (gpu.value < gpu_count_) {
            return {};
        }
        return misfit(gpu_count_ == 1 ? "the run's only GPU, 0"
                                      : "a GPU from 0 to " + std::to_string(gpu_count_ - 1),
                      "GPU " + std::to_string(gpu.value));
    }
    [[nodiscard]] Possible bucket(BucketPrefix bucket, int pass_min, int pass_max) const {
        if (bucket.pass < pass_min || bucket.pass > pass_max) {
            return misfit("a pass from " + std::to_string(pass_min) + " to " +
                              std::to_string(pass_max),
                          std::to_string(bucket.pass));
        }
        int const bits = space_.bits_after(bucket.pass);
        if (bits < 64 && bucket.prefix >> bits != 0) {
            return misfit("a prefix of " + std::to_string(bits) + " bits", bucket_text(bucket));
        }
        return {};
    }
    [[nodiscard]] Possible stage(int stage) const {
        constexpr int stage_max = 65'535; // more than any sort needs for the maximum of 1,024 GPUs
        if (stage >= 0 && stage <= stage_max) {
            return {};
        }
        return misfit("a stage from 0 to " + std::to_string(stage_max), std::to_string(stage));
    }
    [[nodiscard]] Possible in_memory(std::uint64_t offset, std::uint64_t count) const {
        return in_memory(offset, count, memory_keys_);
    }
    [[nodiscard]] static Possible
    in_memory(std::uint64_t offset, std::uint64_t count, std::uint64_t memory_keys) {
        if (fits(offset, count, memory_keys)) {
            return {};
        }
        return misfit("an offset within the " + keys_text(memory_keys) + " of a GPU's memory",
                      from_text(offset, count));
    }

    std::uint64_t key_count_;
    std::uint32_t gpu_count_;
    std::uint64_t memory_keys_;
    std::uint64_t chunk_memory_keys_; ///< for chunks before the exchange
    BucketSpace space_;
};

/// Calls visit(list, check, verdict) for each type of record that is a decision: the member of a
/// run that lists them, and how to report them.
void for_each_kind(auto const& visit) {
    visit(&RecordedRun::histograms, Check::histograms, Verdict::wrong_execution);
    visit(&RecordedRun::placements, Check::placements, Verdict::wrong_plan);
    visit(&RecordedRun::ownership, Check::ownership, Verdict::wrong_plan);
    visit(&RecordedRun::copies, Check::copies, Verdict::wrong_plan);
    visit(&RecordedRun::sort_ranges, Check::sort_ranges, Verdict::wrong_plan);
    visit(&RecordedRun::merges, Check::sort_ranges, Verdict::wrong_plan);
    visit(&RecordedRun::digests, Check::digests_before_swap, Verdict::wrong_execution);
}

/// Where a record that is impossible acts, and the stage of a digest.
void locate(auto const& record, Difference& difference) {
    if constexpr (requires { record.bucket; }) {
        difference.in(record.bucket);
    }
    if constexpr (requires { record.digest; }) {
        difference.check = check_of(record.stage);
    }
    if constexpr (requires { record.gpu; }) {
        difference.on(record.gpu);
    } else if constexpr (requires { record.source; }) {
        difference.on(record.source);
    } else {
        difference.on(record.first);
    }
}

} // namespace

std::vector<Difference> find_impossible_records(RecordedRun const& run, SortConfig const& config) {
    Bounds const bounds(config, run);
    std::vector<Difference> differences;
    for_each_kind([&](auto list, Check check, Verdict verdict) {
        for (auto const& record : run.*list) {
            if (Possible const possible = bounds.of(record); !possible) {
                Difference& difference = differences.emplace_back(possible.error());
                difference.check = check;
                difference.verdict = verdict;
                locate(record,
                       difference.implies(
                           "No run with this header can do that: it reads or writes memory that "
                           "is not the sort's, or the record is from another run."));
            }
        }
    });
    return differences;
}

RecordedRun without_impossible_records(RecordedRun const& run, SortConfig const& config) {
    Bounds const bounds(config, run);
    RecordedRun possible = run;
    for_each_kind([&](auto list, Check /*check*/, Verdict /*verdict*/) {
        std::erase_if(possible.*list, [&bounds](auto const& record) { return !bounds.of(record); });
    });
    std::erase_if(possible.phase_times, [&config](PhaseTimeRecord const& time) {
        return !is_plausible(time, config.gpu_count);
    });
    return possible;
}

} // namespace keyswap::model::verify
