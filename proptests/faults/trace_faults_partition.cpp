/// \file Faults of multisplits, histograms and sorts by steps.

#include "model/partition/label_column.hpp"
#include "model/partition/partition_positions.hpp"
#include "proptests/faults/trace_fault_kinds.hpp"
#include "proptests/properties/reference_partition.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::proptests {

namespace {

using model::verify::RecordedRun;

BucketFunction& first_function(RecordedRun& run) {
    return run.functions.front().function;
}

bool has_table(PartitionRecord const& record) {
    return record.table.has_value();
}
bool is_stable(PartitionRecord const& record) {
    return record.stability == Stability::stable;
}
bool holds_keys(PartitionRecord const& record) {
    return record.count > 0;
}

bool two_splitters_exchanged(RecordedRun& run, std::uint64_t choice) {
    auto* const rule = std::get_if<SplitterBuckets>(&first_function(run).rule);
    if (rule == nullptr || rule->splitters.size() < 2) {
        return false;
    }
    std::size_t const place = choice % (rule->splitters.size() - 1);
    std::swap(rule->splitters[place], rule->splitters[place + 1]);
    return true;
}

/// Splitters of the random runs are keys, so that the tie rule always matters.
bool tie_flipped(RecordedRun& run, std::uint64_t /*choice*/) {
    auto* const rule = std::get_if<SplitterBuckets>(&first_function(run).rule);
    if (rule == nullptr || rule->splitters.empty() ||
        std::ranges::count(rule->equality, true) > 0) {
        return false;
    }
    rule->tie = rule->tie == Tie::left ? Tie::right : Tie::left;
    return true;
}

bool another_splitter(RecordedRun& run, std::uint64_t choice) {
    auto* const rule = std::get_if<SplitterBuckets>(&first_function(run).rule);
    if (rule == nullptr || rule->splitters.empty() || rule->tie == Tie::left) {
        return false;
    }
    rule->splitters[choice % rule->splitters.size()].low += 1; // the splitter equals a key
    return true;
}

bool wrong_bucket_count(RecordedRun& run, std::uint64_t choice) {
    BucketFunction& function = first_function(run);
    function.buckets += choice % 2 == 0 || function.buckets == 1 ? 1 : -1;
    return true;
}

bool label_digest_of_another_column(RecordedRun& run, std::uint64_t choice) {
    auto* const rule = std::get_if<LabelBuckets>(&first_function(run).rule);
    if (rule == nullptr || rule->labels.count == 0) {
        return false;
    }
    std::vector<std::uint32_t> column(rule->labels.count, 0);
    column[choice % column.size()] = 1'000'000;
    rule->labels = model::label_digest(column);
    return true;
}

bool wrong_hash_seed(RecordedRun& run, std::uint64_t choice) {
    auto* const rule = std::get_if<HashBuckets>(&first_function(run).rule);
    if (rule == nullptr || first_function(run).buckets < 3 || run.header.key_count < 31 ||
        run.header.input.distribution == "zero") {
        return false;
    }
    rule->seed += 1 + choice % 1000;
    return true;
}

bool counts_moved(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.histograms,
        choice,
        [](HistogramRecord const& record) {
            return record.counts.size() > 1 &&
                   std::ranges::any_of(record.counts, [](auto count) { return count > 0; });
        },
        [](HistogramRecord& record) {
            auto const from =
                std::ranges::find_if(record.counts, [](auto count) { return count > 0; });
            *from -= 1;
            (from == record.counts.begin() ? record.counts.back() : record.counts.front()) += 1;
        });
}

bool key_not_counted(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.histograms,
        choice,
        [](HistogramRecord const& record) { return record.counts.front() > 0; },
        [](HistogramRecord& record) { record.counts.front() -= 1; });
}

bool histogram_lost(RecordedRun& run, std::uint64_t choice) {
    bool const all_have_keys =
        std::ranges::all_of(run.histograms, [](HistogramRecord const& record) {
            return std::ranges::any_of(record.counts, [](auto count) { return count > 0; });
        });
    return all_have_keys && drop_one(run.histograms, choice);
}

bool counted_by_another_gpu(RecordedRun& run, std::uint64_t choice) {
    return run.gpu_count() > 1 && run.header.key_count > 3 &&
           change_one(run.histograms, choice, any<HistogramRecord>, [&run](auto& record) {
               record.gpu.value = (record.gpu.value + 1) % run.gpu_count();
           });
}

bool starts_scanned_inclusively(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.partitions, choice, holds_keys, [](PartitionRecord& record) {
        std::vector<std::uint64_t> shifted(record.starts.begin() + 1, record.starts.end());
        shifted.push_back(record.count);
        record.starts = std::move(shifted);
    });
}

bool one_start_off(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.partitions, choice, any<PartitionRecord>, [choice](auto& record) {
        record.starts[choice / 3 % record.starts.size()] += 1;
    });
}

bool table_of_other_tiles(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.partitions,
        choice,
        [](PartitionRecord const& record) {
            return has_table(record) && record.count > record.tile_keys;
        },
        [](PartitionRecord& record) { record.tile_keys *= 2; });
}

bool table_not_scanned(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.partitions, choice, has_table, [](PartitionRecord& record) { record.table->low += 1; });
}

bool table_lost(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.partitions, choice, has_table, [](PartitionRecord& record) { record.table.reset(); });
}

bool output_of_the_unstable_order(RecordedRun& run, std::uint64_t choice) {
    PartitionRecord* const record = pick(run.partitions, choice, is_stable);
    if (record == nullptr || run.header.operation != Operation::multisplit) {
        return false;
    }
    auto const unstable = output_by(run, first_function(run), "atomic", record->gpu);
    if (!unstable || run.header.value_type == ValueType::none || unstable == record->output) {
        return false;
    }
    record->output = unstable;
    return true;
}

bool step_reads_the_input_again(RecordedRun& run, std::uint64_t choice) {
    PartitionRecord* const record =
        pick(run.partitions, choice, [](PartitionRecord const& one) { return one.step > 1; });
    if (record == nullptr) {
        return false;
    }
    auto const output =
        output_by(run, run.functions[record->function].function, "fused", record->gpu);
    if (!output || output == record->output) {
        return false;
    }
    record->output = output;
    return true;
}

bool steps_exchanged(RecordedRun& run, std::uint64_t /*choice*/) {
    // If the second digit alone distinguishes all keys, the order of both steps is irrelevant.
    auto const second = std::ranges::find(run.partitions, 2, &PartitionRecord::step);
    if (second == run.partitions.end() ||
        output_by(run, run.functions[second->function].function, "fused", second->gpu) ==
            second->output) {
        return false;
    }
    auto const exchange = [](int& step) { step = step == 1 ? 2 : step == 2 ? 1 : step; };
    for (PartitionRecord& record : run.partitions) {
        exchange(record.step);
    }
    for (HistogramRecord& record : run.histograms) {
        exchange(*record.step);
    }
    for (DigestRecord& record : run.digests) {
        exchange(*record.step);
    }
    return true;
}

bool last_step_left_out(RecordedRun& run, std::uint64_t /*choice*/) {
    int const last = run.partitions.back().step;
    if (run.header.operation != Operation::sort || last < 2) {
        return false;
    }
    // If the lower digits alone sort the keys, the last step changes nothing.
    auto const before = std::ranges::find(run.partitions, last - 1, &PartitionRecord::step);
    if (!before->output || before->output == run.partitions.back().output) {
        return false;
    }
    auto const is_last = [last](auto const& record) { return record.step == last; };
    std::erase_if(run.partitions, is_last);
    std::erase_if(run.histograms, is_last);
    std::erase_if(run.digests, is_last);
    run.functions.pop_back();
    return true;
}

bool step_in_the_middle_lost(RecordedRun& run, std::uint64_t choice) {
    int const last = run.partitions.back().step;
    if (last < 3) {
        return false;
    }
    int const lost = 2 + static_cast<int>(choice % static_cast<std::uint64_t>(last - 2));
    std::erase_if(run.partitions, [lost](auto const& record) { return record.step == lost; });
    return true;
}

bool partition_outside_its_part(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.partitions, choice, any<PartitionRecord>, [choice](auto& record) {
        record.offset += 1 + choice % 100;
    });
}

bool last_key_left_out(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.partitions, choice, holds_keys, [](PartitionRecord& record) { record.count -= 1; });
}

bool another_method(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.partitions, choice, any<PartitionRecord>, [](auto& record) {
        record.method = record.method == "direct" ? "warp" : "direct";
    });
}

bool stability_flipped(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.partitions, choice, any<PartitionRecord>, [](auto& record) {
        bool const stable = record.stability == Stability::stable;
        record.stability = stable ? Stability::unstable : Stability::stable;
        record.output = stable ? std::nullopt : std::optional(SequenceDigest{record.count, 1, 2});
    });
}

bool partition_lost(RecordedRun& run, std::uint64_t choice) {
    return drop_one(run.partitions, choice);
}

bool key_in_another_bucket(RecordedRun& run, std::uint64_t choice) {
    auto const two = pick_two(run.digests,
                              choice,
                              any<DigestRecord>,
                              [](DigestRecord const& one, DigestRecord const& other) {
                                  return one.bucket != other.bucket && one.gpu == other.gpu &&
                                         one.step == other.step && one.digest != other.digest;
                              });
    if (!two) {
        return false;
    }
    std::swap(two->first->digest, two->second->digest);
    return true;
}

bool key_doubled(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.digests, choice, any<DigestRecord>, [](DigestRecord& record) {
        record.digest.count += 1;
        record.digest.low += 12345;
    });
}

bool bucket_digest_lost(RecordedRun& run, std::uint64_t choice) {
    return drop_one(run.digests, choice);
}

bool values_by_another_rank(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.partitions,
        choice,
        [](PartitionRecord const& record) { return is_stable(record) && record.count > 1; },
        [](PartitionRecord& record) { record.output->high ^= 1; });
}

bool other_input(RecordedRun& run, std::uint64_t choice) {
    if (run.header.key_count == 0 || run.header.input.distribution == "zero") {
        return false;
    }
    run.header.input.seed += 1 + choice % 100;
    return true;
}

bool function_of_another_step(RecordedRun& run, std::uint64_t choice) {
    return run.functions.size() > 1 &&
           change_one(run.partitions, choice, any<PartitionRecord>, [&run](auto& record) {
               record.function =
                   (record.function + 1) % static_cast<std::uint32_t>(run.functions.size());
           });
}

} // namespace

std::vector<TraceFault> partition_faults() {
    using enum model::verify::Verdict;
    return {
        {"function: splitters exchanged",
         "two splitters are out of order",
         {wrong_plan},
         two_splitters_exchanged},
        {"function: tie flipped",
         "keys that equal a splitter go to its other side",
         {wrong_plan, wrong_execution},
         tie_flipped},
        {"function: another splitter",
         "a splitter is one larger",
         {wrong_plan, wrong_execution},
         another_splitter},
        {"function: wrong number of buckets",
         "there is a bucket more or less than the rule has",
         {wrong_plan},
         wrong_bucket_count},
        {"function: labels of another column",
         "the labels are not those of the file",
         {wrong_input},
         label_digest_of_another_column},
        {"function: other hash seed",
         "keys are hashed by another seed",
         {wrong_execution, wrong_order},
         wrong_hash_seed},
        {"step counts: moved between buckets",
         "a key is counted in another bucket",
         {wrong_execution},
         counts_moved},
        {"step counts: key not counted",
         "a key is not counted",
         {wrong_input, wrong_execution},
         key_not_counted},
        {"step counts: lost",
         "a GPU's counts are not recorded",
         {incomplete_trace},
         histogram_lost},
        {"step counts: another GPU",
         "a GPU counts its neighbour's keys",
         {incomplete_trace, wrong_execution},
         counted_by_another_gpu},
        {"starts: scanned inclusively",
         "every bucket starts where it ends",
         {wrong_execution},
         starts_scanned_inclusively},
        {"starts: one off", "a bucket starts a key too late", {wrong_execution}, one_start_off},
        {"table: other tiles",
         "the table is of tiles of another size",
         {wrong_execution},
         table_of_other_tiles},
        {"table: wrong entry",
         "an entry of the scanned table is wrong",
         {wrong_execution},
         table_not_scanned},
        {"table: lost", "the size of tiles stands there without a table", {wrong_plan}, table_lost},
        {"output: unstable order",
         "the atomic method's output is passed off as a stable one's",
         {wrong_order},
         output_of_the_unstable_order},
        {"output: values by another rank",
         "a value travels with another key",
         {wrong_order},
         values_by_another_rank},
        {"output: key in another bucket",
         "two buckets hold each other's keys",
         {wrong_execution},
         key_in_another_bucket},
        {"output: key doubled",
         "a bucket holds a key twice",
         {lost_or_duplicated_keys},
         key_doubled},
        {"output: a bucket's digest lost",
         "a bucket's keys are not recorded",
         {lost_or_duplicated_keys, wrong_execution},
         bucket_digest_lost},
        {"partition: outside its part",
         "the part begins some keys later",
         {wrong_plan},
         partition_outside_its_part},
        {"partition: last key left out",
         "the last key of a part is not moved",
         {wrong_plan},
         last_key_left_out},
        {"partition: another method",
         "another method ran than the header says",
         {incomplete_trace, wrong_plan, wrong_execution},
         another_method},
        {"partition: stability flipped",
         "an unstable method is said to be stable, or the other way round",
         {wrong_plan},
         stability_flipped},
        {"partition: lost", "a partition is not recorded", {incomplete_trace}, partition_lost},
        {"partition: other input",
         "the keys of another seed were partitioned",
         {wrong_input},
         other_input},
    };
}

std::vector<TraceFault> step_faults() {
    using enum model::verify::Verdict;
    return {
        {"steps: exchanged",
         "two steps happen in each other's place",
         {wrong_order},
         steps_exchanged},
        {"steps: reads the input again",
         "a step does not read what the one before wrote",
         {wrong_order},
         step_reads_the_input_again},
        {"steps: last one left out",
         "the highest digit is never looked at",
         {wrong_order},
         last_step_left_out},
        {"steps: one lost", "a step is not recorded", {incomplete_trace}, step_in_the_middle_lost},
        {"steps: function of another step",
         "keys are counted by one digit and moved by the next",
         {wrong_plan},
         function_of_another_step},
    };
}

} // namespace keyswap::proptests
