/// \file Validates the bucket functions of a run, and their labels. Also functions that all checks
/// of partitions share.

#include "model/partition/label_column.hpp"
#include "model/verify/partition/partition_parts.hpp"
#include "model/verify/record_text.hpp"
#include "traces/errors/error_subject.hpp"

#include <filesystem>
#include <set>
#include <utility>

namespace keyswap::model::verify {

namespace {

void load_labels(RecordedRun const& run,
                 bool has_keys,
                 LabelBuckets const& rule,
                 std::string const& name,
                 UsableFunction& usable,
                 Report& report) {
    usable.known = false;
    if (rule.labels.count != run.header.key_count) {
        report.differ(Check::functions, Verdict::wrong_input)
            .at(name)
            .expect("a label for each of " + keys_text(run.header.key_count))
            .found(std::to_string(rule.labels.count))
            .implies("Some keys have no label, or some labels no key.");
    }
    std::error_code error;
    if (!has_keys || rule.file.empty() || !std::filesystem::is_regular_file(rule.file, error)) {
        report.skip(Check::functions,
                    !has_keys           ? "labels, as there are no keys"
                    : rule.file.empty() ? "its labels were only in memory"
                                        : "the file of labels " + rule.file + " is not there");
        return;
    }
    auto column = read_label_column(rule.file, run.header.key_count, usable.function->buckets);
    if (!column) {
        report.differ(Check::functions, Verdict::wrong_input)
            .at(name)
            .expect("labels below " + std::to_string(usable.function->buckets) + " in " + rule.file)
            .found(column.error().problem)
            .implies("The labels or the function are not those of the run.");
        return;
    }
    SequenceDigest const digest = label_digest(*column);
    if (digest != rule.labels) {
        report.differ(Check::functions, Verdict::wrong_input)
            .at(name)
            .expect("labels of " + rule.file + ", " + sequence_text(digest))
            .found(sequence_text(rule.labels))
            .implies("The run had labels other than those in its file.");
    }
    usable.known = column->size() == run.header.key_count;
    usable.column = std::move(*column);
}

} // namespace

std::optional<BucketPrefix> step_bucket(std::optional<std::uint64_t> bucket) {
    return bucket ? std::optional(BucketPrefix{1, *bucket}) : std::nullopt;
}

MultisetDigest PartRecords::content() const {
    MultisetDigest sum;
    for (auto const& [bucket, record] : digests) {
        sum += record->digest;
    }
    return sum;
}

InputError memory_limit_error(std::string const& what) {
    return {what,
            "take more memory than " + setting("memory-limit") + " allows",
            "raise " + setting("memory-limit") + ", or compare only the records with " +
                setting("records-only")};
}

std::map<std::uint32_t, UsableFunction>
usable_functions(RecordedRun const& run, bool has_keys, Report& report) {
    std::map<std::uint32_t, UsableFunction> functions;
    std::set<std::uint32_t> used;
    for (HistogramRecord const& record : run.histograms) {
        used.insert(*record.function);
    }
    for (PartitionRecord const& record : run.partitions) {
        used.insert(record.function);
    }
    for (BucketFunctionRecord const& record : run.functions) {
        std::string const name = "function " + std::to_string(record.id);
        UsableFunction& usable = functions[record.id];
        usable.function = &record.function;
        if (!used.contains(record.id)) {
            report.differ(Check::functions)
                .at(name)
                .expect("a record that uses it")
                .found("none")
                .implies("The run counts or partitions by another function.");
        }
        if (auto const* const foreign = std::get_if<ForeignBuckets>(&record.function.rule)) {
            usable.known = false;
            report.skip(Check::functions,
                        "\"" + foreign->name + "\" is a function of the run's own");
        } else if (auto const* const rule = std::get_if<LabelBuckets>(&record.function.rule)) {
            load_labels(run, has_keys, *rule, name, usable, report);
        }
        report.mark_checked(Check::functions);
    }
    return functions;
}

} // namespace keyswap::model::verify
