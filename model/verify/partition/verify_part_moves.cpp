/// \file Checks the partitions of one step on one GPU: methods, starts, tables and
/// outputs.

#include "model/partition/multisplit_method.hpp"
#include "model/partition/partition_positions.hpp"
#include "model/verify/partition/partition_parts.hpp"
#include "model/verify/record_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

namespace keyswap::model::verify {

namespace {

/// The header of a multisplit lists the methods that ran; any other step runs once.
void verify_methods(StepPart const& part) {
    if (part.header.operation == Operation::histogram) {
        return;
    }
    std::map<std::string, int> recorded;
    for (PartitionRecord const* const record : part.records.partitions) {
        recorded[record->method] += 1;
    }
    if (part.header.operation == Operation::sort) {
        if (part.records.partitions.size() != 1) {
            part.report
                .differ(Check::partitions,
                        part.records.partitions.empty() ? Verdict::incomplete_trace
                                                        : Verdict::wrong_plan)
                .at(step_text(part.step, ""))
                .on(part.gpu)
                .expect("one partition")
                .found(std::to_string(part.records.partitions.size()))
                .implies("What the next step reads is unclear.");
        }
        return;
    }
    std::map<std::string, int> expected;
    for (MultisplitMethod const& method : multisplit_methods()) {
        if (part.header.variant == "all" && takes(method, part.function.buckets)) {
            expected[std::string(method.name)] = 1;
        }
    }
    if (part.header.variant != "all") {
        std::istringstream names(part.header.variant);
        for (std::string name; std::getline(names, name, ',');) {
            expected[name] = 1;
        }
    }
    for (auto const& [method, times] : expected) {
        if (int const found = std::exchange(recorded[method], 0); found != times) {
            part.report
                .differ(Check::partitions,
                        found == 0 ? Verdict::incomplete_trace : Verdict::wrong_plan)
                .at(step_text(part.step, method))
                .on(part.gpu)
                .expect("one partition")
                .found(std::to_string(found))
                .implies("The header says that this method ran.");
        }
    }
    for (auto const& [method, times] : recorded) {
        if (times > 0) {
            part.report.differ(Check::partitions)
                .at(step_text(part.step, method))
                .on(part.gpu)
                .expect("method " + part.header.variant + " of the header")
                .found("method " + method)
                .implies("The run was made by another method than it says.");
        }
    }
}

void verify_method(StepPart const& part, PartitionRecord const& record, std::string const& where) {
    auto const method = find_multisplit_method(record.method);
    if (!method) {
        part.report.skip(Check::partitions,
                         "method \"" + record.method + "\" is not one that the model knows");
        return;
    }
    if ((*method)->stability != record.stability) {
        part.report.differ(Check::partitions)
            .at(where)
            .on(record.gpu)
            .expect("a method that is " + std::string(to_string((*method)->stability)))
            .found(std::string(to_string(record.stability)))
            .implies("The method does not promise what the record says.");
    }
    auto const buckets = static_cast<std::uint32_t>(record.starts.size());
    if (auto const taken = check_buckets(**method, buckets); !taken) {
        part.report.differ(Check::partitions)
            .at(where)
            .on(record.gpu)
            .expect("a method that takes " + std::to_string(buckets) + " buckets")
            .found(record.method)
            .implies(taken.error().remedy);
    }
}

Expected<void> verify_table(StepPart const& part,
                            PartitionRecord const& record,
                            std::string const& where,
                            KnownPart const& known,
                            std::uint64_t memory_bytes) {
    std::uint32_t const buckets = part.function.buckets;
    if (!known.expected) {
        part.report.skip(Check::partitions, "tables, as buckets of keys are not known");
        return {};
    }
    std::uint64_t const tiles =
        known.keys / record.tile_keys + (known.keys % record.tile_keys == 0 ? 0 : 1);
    constexpr std::uint64_t entry_bytes = 2 * sizeof(std::uint64_t); // counts and their prefix sums
    if (tiles > memory_bytes / entry_bytes / buckets) {
        return tl::unexpected(memory_limit_error("tables of " + std::to_string(buckets) +
                                                 " buckets in " + std::to_string(tiles) +
                                                 " tiles"));
    }
    auto const table = scanned_table(known.expected->labels, buckets, record.tile_keys);
    SequenceDigest expected;
    for (std::size_t i = 0; i < table.size(); ++i) {
        expected += digest_at(i, digest_of(table[i]));
    }
    if (expected != *record.table) {
        part.report.differ(Check::partitions, Verdict::wrong_execution)
            .at(where)
            .on(record.gpu)
            .expect("the scanned table for tiles of " + keys_text(record.tile_keys) + ", " +
                    sequence_text(expected))
            .found(sequence_text(*record.table))
            .implies("Tiles write their keys to the wrong places.");
    }
    return {};
}

/// Uses the digests of individual buckets, if recorded.
std::optional<std::uint64_t> first_wrong_bucket(PartRecords const& part, KnownPart const& known) {
    if (!known.expected) {
        return std::nullopt;
    }
    for (auto const& [bucket, digest] : part.digests) {
        if (digest->digest != known.expected->digests[bucket]) {
            return bucket;
        }
    }
    return std::nullopt;
}

void verify_output(StepPart const& part,
                   PartitionRecord const& record,
                   std::string const& where,
                   KnownPart const& known) {
    SequenceDigest const* expected = nullptr;
    if (known.expected && known.order_known) {
        expected = &known.expected->output;
    } else {
        part.report.skip(Check::partitions,
                         "outputs, as the order of the keys before is not known; those of the "
                         "stable methods must be equal");
        for (PartitionRecord const* const other : part.records.partitions) {
            if (expected == nullptr && other->output) {
                expected = &*other->output;
            }
        }
    }
    if (record.output->count != known.keys) {
        part.report.differ(Check::partitions, Verdict::lost_or_duplicated_keys)
            .at(where)
            .on(record.gpu)
            .expect(keys_text(known.keys))
            .found(std::to_string(record.output->count))
            .implies("The partition loses or doubles keys.");
    } else if (expected != nullptr && *expected != *record.output) {
        auto const bucket = first_wrong_bucket(part.records, known);
        part.report.differ(Check::partitions, Verdict::wrong_order)
            .at(where)
            .on(record.gpu)
            .in(step_bucket(bucket))
            .expect("the one stable partition, " + sequence_text(*expected))
            .found(sequence_text(*record.output))
            .implies(bucket ? "The first bucket with other keys is the one named."
                     : part.records.digests.empty()
                         ? "Keys are lost, changed or out of order."
                         : "Each bucket holds its keys: some are out of order.");
    }
}

Expected<void> verify_record(StepPart const& part,
                             PartitionRecord const& record,
                             KnownPart const& known,
                             std::uint64_t memory_bytes) {
    std::string const where = step_text(record.step, record.method);
    part.report.mark_checked(Check::partitions);
    if (record.offset != 0 || record.count != known.keys) {
        part.report.differ(Check::partitions)
            .at(where)
            .on(record.gpu)
            .expect(keys_text(known.keys) + " from 0 on")
            .found(keys_text(record.count) + " from " + std::to_string(record.offset) + " on")
            .implies("Keys of the GPU are left out, or memory next to them is taken.");
    }
    if (record.starts.size() != part.function.buckets) {
        return {}; // it names another function, which is reported already
    }
    verify_method(part, record, where);
    if (!known.counts.empty()) {
        auto const starts = exclusive_sums(known.counts);
        auto const [right, found] = std::ranges::mismatch(starts, record.starts);
        if (right != starts.end()) {
            part.report.differ(Check::partitions, Verdict::wrong_execution)
                .at(where)
                .on(record.gpu)
                .in(step_bucket(static_cast<std::uint64_t>(right - starts.begin())))
                .expect("a start at " + std::to_string(*right))
                .found(std::to_string(*found))
                .implies("The starts are not the exclusive sums of the counts: the "
                         "bucket's keys are "
                         "looked for elsewhere.");
        }
    }
    if (record.table) {
        KEYSWAP_RETURN_IF_ERROR(verify_table(part, record, where, known, memory_bytes));
    }
    if (record.output) {
        verify_output(part, record, where, known);
    }
    return {};
}

} // namespace

Expected<void>
verify_part_moves(StepPart const& part, KnownPart const& known, std::uint64_t memory_bytes) {
    verify_methods(part);
    for (PartitionRecord const* const record : part.records.partitions) {
        KEYSWAP_RETURN_IF_ERROR(verify_record(part, *record, known, memory_bytes));
    }
    return {};
}

} // namespace keyswap::model::verify
