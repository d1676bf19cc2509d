#include "tools/report/sections/operation_data.hpp"

#include "model/partition/bucket_rule.hpp"
#include "model/partition/partition_positions.hpp"
#include "model/partition/shuffle.hpp"
#include "model/verify/bounds/operation_bounds.hpp"
#include "tools/report/sections/run_data.hpp"
#include "tools/text/bucket_name.hpp"
#include "tools/text/bucket_ranges.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

namespace keyswap::tools {

namespace {

using model::verify::RecordedRun;

/// `begin`, then "1.25 times an even share" of the keys; empty if there are none.
std::string even_share_text(std::string const& begin,
                            std::uint64_t part,
                            std::uint64_t keys,
                            std::size_t parts) {
    double const even = static_cast<double>(keys) / static_cast<double>(parts);
    return keys == 0
               ? ""
               : begin + printed("%.2f times an even share", static_cast<double>(part) / even);
}

/// Sentence on the balance of a multisplit's buckets.
std::string fullest_answer(RecordedRun const& run, CountedBuckets const& buckets) {
    auto const fullest = std::ranges::max_element(buckets.keys);
    auto const place = static_cast<std::size_t>(fullest - buckets.keys.begin());
    auto const empty = std::ranges::count(buckets.keys, 0U);
    // Rules without intervals name the range "bucket N": omitted.
    std::string const number = std::to_string(place);
    std::string const range =
        buckets.ranges[place] == "bucket " + number ? "" : " (" + buckets.ranges[place] + ")";
    return "Bucket " + number + range + " of " + grouped_count(buckets.keys.size()) +
           " is the fullest: " + grouped_count(*fullest) + " of " +
           counted(run.header.key_count, "key") +
           even_share_text(", ", *fullest, run.header.key_count, buckets.keys.size()) + "; " +
           (empty == 0 ? "none is empty."
                       : grouped_count(static_cast<std::uint64_t>(empty)) +
                             (empty == 1 ? " is empty." : " are empty."));
}

/// Sentence on samples outside all bins; a histogram records those below and above its edges.
std::string outside_answer(CountedBuckets const& buckets) {
    return counted(buckets.keys.size() - 2, "bin") + "; " +
           counted(buckets.keys.front(), "sample") + " below the first edge, " +
           grouped_count(buckets.keys.back()) + " at or above the last one.";
}

/// Compares the outputs of stable methods, which must be equal for each chunk.
std::string methods_answer(RecordedRun const& run) {
    std::vector<std::string> different;
    std::map<GpuId, SequenceDigest> outputs;
    std::size_t stable = 0;
    for (PartitionRecord const& partition : run.partitions) {
        if (partition.output) {
            stable += 1;
            if (*partition.output !=
                outputs.emplace(partition.gpu, *partition.output).first->second) {
                different.push_back(partition.method);
            }
        }
    }
    if (run.partitions.empty()) {
        return "";
    }
    if (!different.empty()) {
        return "The stable methods gave different outputs: that of " + different.front() +
               " is not that of " + run.partitions.front().method + ".";
    }
    if (outputs.size() > 1 && stable == outputs.size()) {
        return "Each of " + std::to_string(stable) +
               " GPUs ordered its chunk with one stable method.";
    }
    std::size_t const unstable = run.partitions.size() - stable;
    std::string const each = run.gpu_count() > 1 ? " on each GPU" : "";
    std::string const all = stable == 0   ? ""
                            : stable == 1 ? "One stable method was run."
                                          : std::to_string(stable / outputs.size()) +
                                                " stable methods gave the same output" + each + ".";
    std::string const rest = unstable == 0
                                 ? ""
                                 : counted(unstable / run.gpu_count(), "unstable method") +
                                       " ordered the keys inside of buckets differently.";
    return all + (all.empty() || rest.empty() ? "" : " ") + rest;
}

/// Sentence on the balance of a shuffle, and on the keys that it moved.
std::string exchange_answer(RecordedRun const& run) {
    if (!model::is_shuffle(run.header) || run.ownership.empty()) {
        return "";
    }
    auto const [least, most] = std::ranges::minmax(run.ownership, {}, &OwnershipRecord::count);
    std::uint64_t moved = 0;
    for (CopyRecord const& copy : run.copies) {
        moved += copy.source == copy.destination ? 0 : copy.count;
    }
    return "Each of " + counted(run.ownership.size(), "GPU") + " owns " +
           grouped_count(least.count) + " to " + grouped_count(most.count) + " keys" +
           even_share_text(", at most ", most.count, run.header.key_count, run.ownership.size()) +
           "; " + counted(moved, "key") + " changed GPUs, in " +
           counted(run.copies.size(), "copy", "copies") + ".";
}

std::string rounds_answer(RecordedRun const& run) {
    if (run.relaxations.empty()) {
        return "";
    }
    auto const fullest = std::ranges::max_element(run.relaxations, {}, &RelaxationRecord::pending);
    std::uint64_t relaxed = 0;
    for (RelaxationRecord const& round : run.relaxations) {
        relaxed += round.frontier;
    }
    return counted(run.relaxations.size(), "round") + " relaxed vertices " +
           grouped_count(relaxed) + " times; most waited in round " +
           grouped_count(fullest->round) + ", " + grouped_count(fullest->pending) + " of " +
           grouped_count(run.header.key_count) + ".";
}

/// Undivided ranges, in output order.
CountedBuckets sorted_ranges(RecordedRun const& run) {
    std::vector<KeyRangeRecord> ranges;
    std::ranges::copy_if(run.key_ranges, std::back_inserter(ranges), [](KeyRangeRecord const& one) {
        return one.place.has_value();
    });
    std::ranges::sort(ranges, {}, &KeyRangeRecord::place);
    CountedBuckets sorted{"key ranges", {}, {}, {}};
    for (KeyRangeRecord const& range : ranges) {
        std::string const lowest = key_name(run.header, range.lowest);
        sorted.ranges.push_back(range.lowest == range.highest
                                    ? lowest
                                    : lowest + " to " + key_name(run.header, range.highest));
        sorted.keys.push_back(range.count);
        sorted.starts.push_back(*range.place);
    }
    return sorted;
}

/// Sentence on the number of ranges of an external sort, and their sizes.
std::string ranges_answer(RecordedRun const& run, CountedBuckets const& ranges) {
    std::string const most = grouped_count(std::ranges::max(ranges.keys));
    std::string const at_once =
        run.external_sorts.empty()
            ? ""
            : " of the " + grouped_count(run.external_sorts.front().records_max) + " that fit";
    return counted(ranges.keys.size(), "range") +
           " of keys, each sorted at once; the largest holds " + most + at_once + ".";
}

Json buckets_json(CountedBuckets const& buckets) {
    return {{"rule", buckets.rule},
            {"ranges", buckets.ranges},
            {"starts", buckets.starts},
            {"keys", buckets.keys}};
}

Json methods_json(RecordedRun const& run) {
    Json rows = Json::array();
    for (PartitionRecord const& partition : run.partitions) {
        std::string const gpu =
            run.gpu_count() > 1 ? " on GPU " + std::to_string(partition.gpu.value) : "";
        rows.push_back({partition.method + gpu,
                        to_string(partition.stability),
                        partition.tile_keys,
                        partition.output
                            ? hash_text(partition.output->high) + hash_text(partition.output->low)
                            : ""});
    }
    return rows;
}

Json rounds_json(RecordedRun const& run) {
    return json_array(run.relaxations, [](RelaxationRecord const& round) {
        return Json{round.round,
                    round.pending,
                    round.frontier,
                    round.improved,
                    round.lower,
                    round.split,
                    round.counts};
    });
}

} // namespace

OperationView operation_view_of(RecordedRun const& run,
                                std::string const& file,
                                model::verify::VerifyLimits const& limits) {
    return {"Trace " + std::filesystem::path(file).filename().string(),
            verification_of(run, limits),
            model::verify::without_impossible_operation_records(run)};
}

CountedBuckets counted_buckets(RecordedRun const& run) {
    if (run.header.operation == Operation::external_sort) {
        return sorted_ranges(run);
    }
    for (BucketFunctionRecord const& record : run.functions) {
        BucketFunction const& function = record.function;
        std::vector<std::uint64_t> keys(function.buckets, 0);
        bool is_counted = false;
        for (HistogramRecord const& histogram : run.histograms) {
            if (histogram.function == record.id && histogram.counts.size() == keys.size()) {
                std::ranges::transform(histogram.counts, keys, keys.begin(), std::plus{});
                is_counted = true;
            }
        }
        if (is_counted) {
            auto starts = model::exclusive_sums(keys);
            return {model::rule_name(function.rule),
                    bucket_ranges(function, run.header),
                    std::move(keys),
                    std::move(starts)};
        }
    }
    return {};
}

Json operation_data(OperationView const& view) {
    RecordedRun const& run = view.run;
    CountedBuckets const buckets = counted_buckets(run);
    Json answers = Json::array();
    if (!buckets.keys.empty()) {
        answers.push_back(run.header.operation == Operation::histogram ? outside_answer(buckets)
                          : run.header.operation == Operation::external_sort
                              ? ranges_answer(run, buckets)
                              : fullest_answer(run, buckets));
    }
    for (std::string answer : {methods_answer(run), exchange_answer(run), rounds_answer(run)}) {
        if (!answer.empty()) {
            answers.push_back(std::move(answer));
        }
    }
    return {{"kind", "operation"},
            {"title", view.title},
            {"operation", to_string(run.header.operation)},
            {"verdict", verdict_answer(view.verification, run.verdicts)},
            {"answers", std::move(answers)},
            {"configuration", operation_configuration_rows(run.header, buckets.rule)},
            {"keys", run.header.key_count},
            {"buckets", buckets_json(buckets)},
            {"methods", methods_json(run)},
            {"rounds", rounds_json(run)},
            {"checks", view.verification.checks},
            {"verdicts", verdicts_json(run.verdicts)}};
}

} // namespace keyswap::tools
