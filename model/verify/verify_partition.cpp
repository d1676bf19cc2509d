/// \file Partitions of the whole input, step by step, each made again from the keys.

#include "model/partition/label_column.hpp"
#include "model/partition/multisplit_method.hpp"
#include "model/partition/partition_positions.hpp"
#include "model/verify/expected_partition.hpp"
#include "model/verify/verify_operation.hpp"
#include "model/verify/verify_parts.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace keyswap::conformance {

namespace {

/// A function of the run, with its column of labels where it has one.
struct UsableFunction {
    BucketFunction const* function = nullptr;
    std::vector<std::uint32_t> column;
    bool known = true; ///< buckets of keys can be computed
};

/// Records of one step on one GPU.
struct PartRecords {
    std::vector<HistogramRecord const*> histograms;
    std::vector<PartitionRecord const*> partitions;
    std::map<std::uint64_t, DigestRecord const*> digests; ///< by bucket
};

/// What is known of a part before its records are looked at.
struct KnownPart {
    std::uint64_t keys = 0;
    std::optional<ExpectedStep> expected;  ///< nothing where buckets cannot be computed
    std::optional<MultisetDigest> content; ///< of all its keys
    std::vector<std::uint64_t> counts;     ///< [m] right ones, or recorded ones that add up
};

class PartitionVerifier {
  public:
    PartitionVerifier(RecordedRun const& run,
                      InputKeys const* keys,
                      VerifyLimits const& limits,
                      Report& report)
        : run_(run), header_(run.header), keys_(keys), limits_(limits), report_(report),
          chunks_(run.header.key_count, run.gpu_count()) {}

    std::optional<InputError> verify() {
        if (keys_ != nullptr && header_.key_count > limits_.memory_bytes / bytes_per_key) {
            return beyond_memory(std::to_string(header_.key_count) + " keys");
        }
        load_parts();
        load_functions();
        int const last = last_step();
        for (int step = 1; step <= last; ++step) {
            if (auto error = verify_step(step)) {
                return error;
            }
        }
        if (last == 0) {
            incomplete(Check::histograms, "", "records of a partition or a histogram");
        }
        if (header_.operation == Operation::multisplit && last > 1) {
            add(Verdict::wrong_plan,
                Check::partitions,
                step_text(last, ""),
                "one step, which is all that a multisplit has",
                std::to_string(last),
                "The trace is of another operation than its header says.");
        }
        if (header_.operation == Operation::sort) {
            verify_sorted();
        }
        return std::nullopt;
    }

  private:
    static constexpr std::uint64_t bytes_per_key = PartitionedKeys::bytes_per_key;

    static InputError beyond_memory(std::string const& what) {
        return {what,
                "take more memory than --memory-limit allows",
                "raise --memory-limit, or compare the records alone with --records-only"};
    }

    void add(Verdict verdict,
             Check check,
             std::string where,
             std::string expected,
             std::string recorded,
             std::string consequence,
             std::optional<GpuId> gpu = std::nullopt,
             std::optional<std::uint64_t> bucket = std::nullopt) {
        Difference difference{verdict,
                              check,
                              std::nullopt,
                              std::nullopt,
                              gpu,
                              std::move(expected),
                              std::move(recorded),
                              std::move(consequence)};
        if (bucket) {
            difference.bucket = BucketPrefix{1, *bucket};
        }
        difference.where = std::move(where);
        add_difference(report_, std::move(difference));
    }

    void incomplete(Check check,
                    std::string where,
                    std::string expected,
                    std::optional<GpuId> gpu = std::nullopt) {
        add(Verdict::incomplete_trace,
            check,
            std::move(where),
            std::move(expected),
            "none",
            "Nothing is known of this part of the run.",
            gpu);
    }

    void not_checked(Check check, std::string reason) {
        bool const said = std::ranges::any_of(report_.unchecked, [&](Unchecked const& unchecked) {
            return unchecked.check == check && unchecked.reason == reason;
        });
        if (!said) {
            report_.unchecked.push_back({check, std::move(reason)});
        }
    }

    void load_parts() {
        if (keys_ == nullptr) {
            return;
        }
        MultisetDigest content;
        for (GpuId gpu{0}; gpu.value < run_.gpu_count(); ++gpu.value) {
            parts_.emplace_back(*keys_, chunks_.of(gpu), header_.value_type != ValueType::none);
            content += parts_.back().content();
        }
        verify_content(run_, content, report_);
    }

    void load_functions() {
        std::set<std::uint32_t> used;
        for (HistogramRecord const& record : run_.histograms) {
            used.insert(*record.function);
        }
        for (PartitionRecord const& record : run_.partitions) {
            used.insert(record.function);
        }
        for (BucketFunctionRecord const& record : run_.functions) {
            std::string const name = "function " + std::to_string(record.id);
            UsableFunction& usable = functions_[record.id];
            usable.function = &record.function;
            if (!used.contains(record.id)) {
                add(Verdict::wrong_plan,
                    Check::functions,
                    name,
                    "a record that uses it",
                    "none",
                    "The run counts or partitions by another function.");
            }
            if (auto const* const foreign = std::get_if<ForeignBuckets>(&record.function.rule)) {
                usable.known = false;
                not_checked(Check::functions,
                            "\"" + foreign->name + "\" is a function of the run's own");
            } else if (auto const* const rule = std::get_if<LabelBuckets>(&record.function.rule)) {
                load_labels(*rule, name, usable);
            }
            mark_checked(report_, Check::functions);
        }
    }

    void load_labels(LabelBuckets const& rule, std::string const& name, UsableFunction& usable) {
        usable.known = false;
        if (rule.labels.count != header_.key_count) {
            add(Verdict::wrong_input,
                Check::functions,
                name,
                "a label for each of " + keys_text(header_.key_count),
                std::to_string(rule.labels.count),
                "Keys have no label, or labels no key.");
        }
        std::error_code error;
        if (keys_ == nullptr || rule.file.empty() ||
            !std::filesystem::is_regular_file(rule.file, error)) {
            not_checked(Check::functions,
                        keys_ == nullptr    ? "labels, as there are no keys"
                        : rule.file.empty() ? "its labels were in memory alone"
                                            : "the file of labels " + rule.file + " is not there");
            return;
        }
        auto column =
            model::read_label_column(rule.file, header_.key_count, usable.function->buckets);
        if (!column) {
            add(Verdict::wrong_input,
                Check::functions,
                name,
                "labels below " + std::to_string(usable.function->buckets) + " in " + rule.file,
                column.error().problem,
                "The labels are not those of the run, or its function is not.");
            return;
        }
        SequenceDigest const digest = model::label_digest(*column);
        if (digest != rule.labels) {
            add(Verdict::wrong_input,
                Check::functions,
                name,
                "labels of " + rule.file + ", " + sequence_text(digest),
                sequence_text(rule.labels),
                "The run had other labels than its file holds.");
        }
        usable.known = column->size() == header_.key_count;
        usable.column = std::move(*column);
    }

    [[nodiscard]] int last_step() const {
        int last = 0;
        for (HistogramRecord const& record : run_.histograms) {
            last = std::max(last, record.step.value_or(1));
        }
        for (PartitionRecord const& record : run_.partitions) {
            last = std::max(last, record.step);
        }
        for (DigestRecord const& record : run_.digests) {
            last = std::max(last, record.step.value_or(1));
        }
        return last;
    }

    [[nodiscard]] std::map<GpuId, PartRecords> records_of_step(int step) const {
        std::map<GpuId, PartRecords> parts;
        for (GpuId gpu{0}; gpu.value < run_.gpu_count(); ++gpu.value) {
            parts[gpu];
        }
        for (HistogramRecord const& record : run_.histograms) {
            if (record.step.value_or(1) == step) {
                parts[record.gpu].histograms.push_back(&record);
            }
        }
        for (PartitionRecord const& record : run_.partitions) {
            if (record.step == step) {
                parts[record.gpu].partitions.push_back(&record);
            }
        }
        return parts;
    }

    /// The function that all records of a step name; nothing where there are none.
    std::optional<std::uint32_t> function_of_step(int step,
                                                  std::map<GpuId, PartRecords> const& parts) {
        std::optional<std::uint32_t> first;
        auto const take = [&](std::uint32_t id, GpuId gpu) {
            first = first.value_or(id);
            if (*first != id) {
                add(Verdict::wrong_plan,
                    Check::functions,
                    step_text(step, ""),
                    "function " + std::to_string(*first) + ", as the step's other records",
                    "function " + std::to_string(id),
                    "Keys are counted by one function and moved by another.",
                    gpu);
            }
        };
        for (auto const& [gpu, part] : parts) {
            for (HistogramRecord const* const record : part.histograms) {
                take(*record->function, gpu);
            }
            for (PartitionRecord const* const record : part.partitions) {
                take(record->function, gpu);
            }
        }
        return first;
    }

    std::optional<InputError> verify_step(int step) {
        auto parts = records_of_step(step);
        auto const id = function_of_step(step, parts);
        if (!id) {
            incomplete(Check::histograms, step_text(step, ""), "records of the step");
            order_known_ = false;
            return std::nullopt;
        }
        UsableFunction const& usable = functions_.at(*id);
        sort_digests(step, usable.function->buckets, parts);
        bool const any_digest = std::ranges::any_of(
            parts, [](auto const& part) { return !part.second.digests.empty(); });
        bool any_stable = false;
        for (auto& [gpu, part] : parts) {
            KnownPart known = known_part(gpu, usable);
            verify_counts(step, gpu, part, *usable.function, known);
            verify_methods(step, gpu, part, usable.function->buckets);
            for (PartitionRecord const* const record : part.partitions) {
                any_stable = any_stable || record->stability == Stability::stable;
                if (auto error = verify_record(*record, part, known, *usable.function)) {
                    return error;
                }
            }
            verify_bucket_digests(step, gpu, part, known, any_digest);
        }
        if (!usable.known || keys_ == nullptr || !any_stable) {
            order_known_ = false;
        }
        return std::nullopt;
    }

    /// Puts the digests of a step to their parts; those of no bucket are told.
    void sort_digests(int step, std::uint32_t buckets, std::map<GpuId, PartRecords>& parts) {
        for (DigestRecord const& record : run_.digests) {
            if (record.step != step) {
                continue;
            }
            bool const there = record.bucket.prefix < buckets;
            if (!there ||
                !parts[record.gpu].digests.emplace(record.bucket.prefix, &record).second) {
                add(Verdict::wrong_execution,
                    Check::digests_after_step,
                    step_text(step, ""),
                    there ? "one digest" : "a bucket below " + std::to_string(buckets),
                    there ? "two" : "bucket " + std::to_string(record.bucket.prefix),
                    "Nobody can say which keys the bucket holds.",
                    record.gpu,
                    record.bucket.prefix);
            }
        }
    }

    KnownPart known_part(GpuId gpu, UsableFunction const& usable) {
        KnownPart known;
        known.keys = chunks_.of(gpu).size();
        if (keys_ != nullptr) {
            known.content = parts_[gpu.value].content();
        } else if (run_.gpu_count() == 1) {
            known.content = header_.input.content;
        }
        if (keys_ != nullptr && usable.known) {
            known.expected = parts_[gpu.value].carry_out(
                *usable.function, key_bits(header_.key_type), usable.column);
            known.counts = known.expected->counts;
        } else {
            not_checked(Check::histograms, "how many keys each bucket must have is not known");
        }
        return known;
    }

    void verify_counts(int step,
                       GpuId gpu,
                       PartRecords const& part,
                       BucketFunction const& function,
                       KnownPart& known) {
        std::string const where =
            header_.operation == Operation::histogram ? "" : step_text(step, "");
        mark_checked(report_, Check::histograms);
        if (part.histograms.size() != 1) {
            bool const none = part.histograms.empty();
            if (none && known.keys > 0) {
                incomplete(Check::histograms, where, "counts of the GPU's keys", gpu);
            } else if (!none) {
                add(Verdict::wrong_execution,
                    Check::histograms,
                    where,
                    "one histogram",
                    std::to_string(part.histograms.size()),
                    "Nobody can say which of them counts.",
                    gpu);
            }
        }
        for (HistogramRecord const* const record : part.histograms) {
            if (record->counts.size() != function.buckets) {
                continue; // it names another function, which was told
            }
            if (record->offset != 0) {
                add(Verdict::wrong_plan,
                    Check::histograms,
                    where,
                    "a part that begins at 0",
                    "at " + std::to_string(record->offset),
                    "Other keys are counted than the GPU holds.",
                    gpu);
            }
            if (known.expected) {
                compare_counts(where, gpu, known.counts, record->counts);
            } else if (adds_up_to(record->counts, known.keys)) {
                known.counts = record->counts;
            } else {
                add(Verdict::wrong_execution,
                    Check::histograms,
                    where,
                    "counts that sum up to " + keys_text(known.keys),
                    "others",
                    "Keys are not counted, or counted twice.",
                    gpu);
            }
        }
    }

    /// Without being misled by a sum that leaves 64 bits.
    static bool adds_up_to(std::vector<std::uint64_t> const& counts, std::uint64_t keys) {
        bool const fits = std::ranges::all_of(counts, [&keys](std::uint64_t count) {
            bool const possible = count <= keys;
            keys -= possible ? count : 0;
            return possible;
        });
        return fits && keys == 0;
    }

    void compare_counts(std::string const& where,
                        GpuId gpu,
                        std::vector<std::uint64_t> const& expected,
                        std::vector<std::uint64_t> const& recorded) {
        auto const [right, found] = std::ranges::mismatch(expected, recorded);
        if (right != expected.end()) {
            add(Verdict::wrong_execution,
                Check::histograms,
                where,
                keys_text(*right),
                std::to_string(*found),
                header_.operation == Operation::histogram
                    ? "The histogram is wrong."
                    : "Later buckets start elsewhere: keys overwrite each other, or leave gaps.",
                gpu,
                static_cast<std::uint64_t>(right - expected.begin()));
        }
    }

    /// Of a multisplit the header says which methods ran; any other step is carried out once.
    void verify_methods(int step, GpuId gpu, PartRecords const& part, std::uint32_t buckets) {
        if (header_.operation == Operation::histogram) {
            return;
        }
        std::map<std::string, int> recorded;
        for (PartitionRecord const* const record : part.partitions) {
            recorded[record->method] += 1;
        }
        if (header_.operation == Operation::sort) {
            if (part.partitions.size() != 1) {
                add(part.partitions.empty() ? Verdict::incomplete_trace : Verdict::wrong_plan,
                    Check::partitions,
                    step_text(step, ""),
                    "one partition",
                    std::to_string(part.partitions.size()),
                    "Nobody can say what the next step reads.",
                    gpu);
            }
            return;
        }
        std::map<std::string, int> expected;
        for (model::MultisplitMethod const& method : model::multisplit_methods()) {
            if (header_.variant == "all" && model::takes(method, buckets)) {
                expected[std::string(method.name)] = 1;
            }
        }
        if (header_.variant != "all") {
            expected[header_.variant] = 1;
        }
        for (auto const& [method, times] : expected) {
            if (int const found = std::exchange(recorded[method], 0); found != times) {
                add(found == 0 ? Verdict::incomplete_trace : Verdict::wrong_plan,
                    Check::partitions,
                    step_text(step, method),
                    "one partition",
                    std::to_string(found),
                    "The header says that this method ran.",
                    gpu);
            }
        }
        for (auto const& [method, times] : recorded) {
            if (times > 0) {
                add(Verdict::wrong_plan,
                    Check::partitions,
                    step_text(step, method),
                    "method " + header_.variant + " of the header",
                    "method " + method,
                    "The run was made by another method than it says.",
                    gpu);
            }
        }
    }

    std::optional<InputError> verify_record(PartitionRecord const& record,
                                            PartRecords const& part,
                                            KnownPart const& known,
                                            BucketFunction const& function) {
        std::string const where = step_text(record.step, record.method);
        mark_checked(report_, Check::partitions);
        if (record.offset != 0 || record.count != known.keys) {
            add(Verdict::wrong_plan,
                Check::partitions,
                where,
                keys_text(known.keys) + " from 0 on",
                keys_text(record.count) + " from " + std::to_string(record.offset) + " on",
                "Keys of the GPU are left out, or memory beside them is taken.",
                record.gpu);
        }
        if (record.starts.size() != function.buckets) {
            return std::nullopt; // it names another function, which was told
        }
        verify_method(record, where);
        if (!known.counts.empty()) {
            auto const starts = model::exclusive_sums(known.counts);
            auto const [right, found] = std::ranges::mismatch(starts, record.starts);
            if (right != starts.end()) {
                add(Verdict::wrong_execution,
                    Check::partitions,
                    where,
                    "a start at " + std::to_string(*right),
                    std::to_string(*found),
                    "The starts are not the exclusive sums of the counts: the bucket's keys are "
                    "looked for elsewhere.",
                    record.gpu,
                    static_cast<std::uint64_t>(right - starts.begin()));
            }
        }
        if (record.table) {
            if (auto error = verify_table(record, where, known, function.buckets)) {
                return error;
            }
        }
        if (record.output) {
            verify_output(record, where, part, known);
        }
        return std::nullopt;
    }

    void verify_method(PartitionRecord const& record, std::string const& where) {
        auto const method = model::find_multisplit_method(record.method);
        if (!method) {
            not_checked(Check::partitions,
                        "method \"" + record.method + "\" is not one that the model knows");
            return;
        }
        if ((*method)->stability != record.stability) {
            add(Verdict::wrong_plan,
                Check::partitions,
                where,
                "a method that is " + std::string(to_string((*method)->stability)),
                std::string(to_string(record.stability)),
                "What can be relied on is not what the record says.",
                record.gpu);
        }
        auto const buckets = static_cast<std::uint32_t>(record.starts.size());
        if (auto const taken = model::check_buckets(**method, buckets); !taken) {
            add(Verdict::wrong_plan,
                Check::partitions,
                where,
                "a method that takes " + std::to_string(buckets) + " buckets",
                record.method,
                taken.error().remedy,
                record.gpu);
        }
    }

    std::optional<InputError> verify_table(PartitionRecord const& record,
                                           std::string const& where,
                                           KnownPart const& known,
                                           std::uint32_t buckets) {
        if (!known.expected) {
            not_checked(Check::partitions, "tables, as buckets of keys are not known");
            return std::nullopt;
        }
        std::uint64_t const tiles =
            known.keys / record.tile_keys + (known.keys % record.tile_keys == 0 ? 0 : 1);
        constexpr std::uint64_t entry_bytes = 2 * sizeof(std::uint64_t); // counts and their sums
        if (tiles > limits_.memory_bytes / entry_bytes / buckets) {
            return beyond_memory("tables of " + std::to_string(buckets) + " buckets in " +
                                 std::to_string(tiles) + " tiles");
        }
        auto const table = model::scanned_table(known.expected->labels, buckets, record.tile_keys);
        SequenceDigest expected;
        for (std::size_t i = 0; i < table.size(); ++i) {
            expected += digest_at(i, digest_of(table[i]));
        }
        if (expected != *record.table) {
            add(Verdict::wrong_execution,
                Check::partitions,
                where,
                "the scanned table for tiles of " + keys_text(record.tile_keys) + ", " +
                    sequence_text(expected),
                sequence_text(*record.table),
                "Tiles write their keys elsewhere.",
                record.gpu);
        }
        return std::nullopt;
    }

    void verify_output(PartitionRecord const& record,
                       std::string const& where,
                       PartRecords const& part,
                       KnownPart const& known) {
        SequenceDigest const* expected = nullptr;
        if (known.expected && order_known_) {
            expected = &known.expected->output;
        } else {
            not_checked(Check::partitions,
                        "outputs, as the order of the keys before is not known; those of the "
                        "stable methods must be equal");
            for (PartitionRecord const* const other : part.partitions) {
                if (expected == nullptr && other->output) {
                    expected = &*other->output;
                }
            }
        }
        if (record.output->count != known.keys) {
            add(Verdict::lost_or_doubled_keys,
                Check::partitions,
                where,
                keys_text(known.keys),
                std::to_string(record.output->count),
                "The partition loses or doubles keys.",
                record.gpu);
        } else if (expected != nullptr && *expected != *record.output) {
            auto const bucket = first_wrong_bucket(part, known);
            add(Verdict::wrong_order,
                Check::partitions,
                where,
                "the one stable partition, " + sequence_text(*expected),
                sequence_text(*record.output),
                bucket                 ? "The first bucket with other keys is the one named."
                : part.digests.empty() ? "Keys are lost, changed or out of order."
                                       : "Each bucket holds its keys: some are out of order.",
                record.gpu,
                bucket);
        }
    }

    /// By the digests of single buckets, where there are any.
    static std::optional<std::uint64_t> first_wrong_bucket(PartRecords const& part,
                                                           KnownPart const& known) {
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

    /// Which keys every bucket holds, whatever their order.
    void verify_bucket_digests(
        int step, GpuId gpu, PartRecords const& part, KnownPart const& known, bool any_digest) {
        bool const unstable = std::ranges::any_of(part.partitions, [](auto const* record) {
            return record->stability == Stability::unstable;
        });
        if (!any_digest) {
            if (unstable && known.keys > 0) {
                not_checked(Check::digests_after_step,
                            "an unstable partition without digests of its buckets");
            }
            return;
        }
        mark_checked(report_, Check::digests_after_step);
        MultisetDigest sum;
        for (auto const& [bucket, digest] : part.digests) {
            sum += digest->digest;
        }
        if (known.content && sum != *known.content) {
            add(Verdict::lost_or_doubled_keys,
                Check::digests_after_step,
                step_text(step, ""),
                digest_text(*known.content),
                digest_text(sum),
                "The partition loses, doubles or changes keys.",
                gpu);
        }
        std::uint64_t buckets = known.counts.size();
        for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
            auto const found = part.digests.find(bucket);
            MultisetDigest const recorded =
                found == part.digests.end() ? MultisetDigest{} : found->second->digest;
            bool const right = known.expected ? recorded == known.expected->digests[bucket]
                                              : recorded.count == known.counts[bucket];
            if (!right) {
                add(Verdict::wrong_execution,
                    Check::digests_after_step,
                    step_text(step, ""),
                    known.expected ? digest_text(known.expected->digests[bucket])
                                   : keys_text(known.counts[bucket]),
                    digest_text(recorded),
                    "The bucket holds keys of others, or lacks its own.",
                    gpu,
                    bucket);
            }
        }
    }

    /// What steps of a sort must lead to.
    void verify_sorted() {
        if (keys_ == nullptr || !order_known_) {
            not_checked(Check::output, "the order of the keys after the steps is not known");
            return;
        }
        mark_checked(report_, Check::output);
        for (GpuId gpu{0}; gpu.value < run_.gpu_count(); ++gpu.value) {
            if (!parts_[gpu.value].ascend()) {
                add(Verdict::wrong_order,
                    Check::output,
                    "",
                    "steps that sort the keys",
                    "steps that leave them out of order",
                    "A digit is left out, or comes in the wrong order.",
                    gpu);
            }
        }
    }

    RecordedRun const& run_;
    RunHeader const& header_;
    InputKeys const* keys_;
    VerifyLimits const& limits_;
    Report& report_;
    model::Chunks chunks_;
    std::vector<PartitionedKeys> parts_; ///< [g]; empty without keys
    std::map<std::uint32_t, UsableFunction> functions_;
    bool order_known_ = true; ///< all steps so far were stable and could be carried out
};

} // namespace

std::optional<InputError> verify_partitions(RecordedRun const& run,
                                            InputKeys const* keys,
                                            VerifyLimits const& limits,
                                            Report& report) {
    return PartitionVerifier(run, keys, limits, report).verify();
}

} // namespace keyswap::conformance
