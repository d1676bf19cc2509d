/// \file Recomputes partitions of the whole input from the keys, step by step.

#include "model/partition/shuffle.hpp"
#include "model/verify/operations/verify_operation.hpp"
#include "model/verify/partition/expected_partition.hpp"
#include "model/verify/partition/partition_parts.hpp"
#include "model/verify/record_text.hpp"
#include "model/verify/run_checks.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::model::verify {

namespace {

class PartitionVerifier {
  public:
    PartitionVerifier(RecordedRun const& run,
                      InputKeys const* keys,
                      VerifyLimits const& limits,
                      Report& report)
        : run_(run), header_(run.header), keys_(keys), limits_(limits), report_(report),
          chunks_(run.header.key_count, run.gpu_count()) {}

    Expected<void> verify() {
        if (keys_ != nullptr &&
            header_.key_count >
                limits_.memory_bytes / PartitionedKeys::bytes_per_key(header_.key_type)) {
            return tl::unexpected(memory_limit_error(std::to_string(header_.key_count) + " keys"));
        }
        load_parts();
        functions_ = usable_functions(run_, keys_ != nullptr, report_);
        int const last = last_step();
        for (int step = 1; step <= last; ++step) {
            KEYSWAP_RETURN_IF_ERROR(verify_step(step));
        }
        if (last == 0) {
            report_.add(lacks(Check::histograms).expect("records of a partition or a histogram"));
        }
        if (header_.operation == Operation::multisplit && last > 1) {
            report_.differ(Check::partitions)
                .at(step_text(last, ""))
                .expect("one step, as a multisplit has no more")
                .found(std::to_string(last))
                .implies("The trace is of another operation than its header says.");
        }
        if (header_.operation == Operation::sort) {
            verify_sorted();
        }
        if (is_shuffle(header_)) {
            verify_shuffle(run_, split_, report_);
        }
        return {};
    }

  private:
    void load_parts() {
        if (keys_ == nullptr) {
            return;
        }
        MultisetDigest content;
        for (GpuId gpu{0}; gpu.value < run_.gpu_count(); ++gpu.value) {
            parts_.emplace_back(*keys_, header_, chunks_.of(gpu));
            content += parts_.back().content();
        }
        verify_content(run_, content, report_);
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

    /// The function that all records of a step refer to; nullopt if there are none.
    std::optional<std::uint32_t> function_of_step(int step,
                                                  std::map<GpuId, PartRecords> const& parts) {
        std::optional<std::uint32_t> first;
        auto const take = [&](std::uint32_t id, GpuId gpu) {
            first = first.value_or(id);
            if (*first != id) {
                report_.differ(Check::functions)
                    .at(step_text(step, ""))
                    .on(gpu)
                    .expect("function " + std::to_string(*first) + ", as the step's other records")
                    .found("function " + std::to_string(id))
                    .implies("Keys are counted by one function and moved by another.");
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

    Expected<void> verify_step(int step) {
        auto parts = records_of_step(step);
        auto const id = function_of_step(step, parts);
        split_ = {};
        if (!id) {
            report_.add(
                lacks(Check::histograms).at(step_text(step, "")).expect("records of the step"));
            order_known_ = false;
            return {};
        }
        UsableFunction const& usable = functions_.at(*id);
        sort_digests(step, usable.function->buckets, parts);
        bool const any_digest = std::ranges::any_of(
            parts, [](auto const& part) { return !part.second.digests.empty(); });
        bool any_stable = false;
        for (auto const& [gpu, records] : parts) {
            StepPart const part{header_, step, gpu, *usable.function, records, report_};
            KnownPart known = known_part(gpu, usable);
            verify_part_counts(part, known);
            KEYSWAP_RETURN_IF_ERROR(verify_part_moves(part, known, limits_.memory_bytes));
            verify_part_digests(part, known, any_digest);
            if (keys_ == nullptr && !records.digests.empty()) { // later steps must agree
                recorded_contents_[gpu] = records.content();
            }
            split_.counts.push_back(known.counts);
            split_.digests.push_back(known.expected ? known.expected->digests
                                                    : recorded_digests(records, known.counts));
            any_stable = any_stable ||
                         std::ranges::any_of(records.partitions, [](PartitionRecord const* record) {
                             return record->stability == Stability::stable;
                         });
        }
        if (any_digest) {
            verify_total(step);
        }
        if (!usable.known || keys_ == nullptr || !any_stable) {
            order_known_ = false;
        }
        return {};
    }

    /// If the keys are not available, the header's digest gives the content of all GPUs together.
    void verify_total(int step) {
        if (keys_ != nullptr || !header_.input.content || run_.gpu_count() == 1) {
            return; // a single GPU was compared on its own
        }
        MultisetDigest sum;
        for (GpuId gpu{0}; gpu.value < run_.gpu_count(); ++gpu.value) {
            auto const found = recorded_contents_.find(gpu);
            if (found == recorded_contents_.end() && chunks_.of(gpu).size() > 0) {
                return;
            }
            sum += found == recorded_contents_.end() ? MultisetDigest{} : found->second;
        }
        if (sum != *header_.input.content) {
            report_.differ(Check::digests_after_step, Verdict::lost_or_duplicated_keys)
                .at(step_text(step, ""))
                .expect(digest_text(*header_.input.content))
                .found(digest_text(sum))
                .implies("The partition loses, doubles or changes keys.");
        }
    }

    /// [m] recorded digests of a part's buckets; empty if not recorded
    static std::vector<MultisetDigest> recorded_digests(PartRecords const& records,
                                                        std::span<std::uint64_t const> counts) {
        std::vector<MultisetDigest> digests(counts.size());
        for (auto const& [bucket, record] : records.digests) {
            if (bucket < digests.size()) { // without usable counts no bucket is known
                digests[bucket] = record->digest;
            }
        }
        bool const any_key = std::ranges::any_of(counts, [](auto count) { return count > 0; });
        return records.digests.empty() && any_key ? std::vector<MultisetDigest>() : digests;
    }

    /// Assigns the digests of a step to their parts; reports those of invalid buckets.
    void sort_digests(int step, std::uint32_t buckets, std::map<GpuId, PartRecords>& parts) {
        for (DigestRecord const& record : run_.digests) {
            if (record.step != step) {
                continue;
            }
            bool const there = record.bucket.prefix < buckets;
            if (!there ||
                !parts[record.gpu].digests.emplace(record.bucket.prefix, &record).second) {
                report_.differ(Check::digests_after_step, Verdict::wrong_execution)
                    .at(step_text(step, ""))
                    .on(record.gpu)
                    .in(step_bucket(record.bucket.prefix))
                    .expect(there ? "one digest" : "a bucket below " + std::to_string(buckets))
                    .found(there ? "two" : "bucket " + std::to_string(record.bucket.prefix))
                    .implies("Which keys the bucket holds is unclear.");
            }
        }
    }

    KnownPart known_part(GpuId gpu, UsableFunction const& usable) {
        KnownPart known;
        known.keys = chunks_.of(gpu).size();
        known.order_known = order_known_;
        if (keys_ != nullptr) {
            known.content = parts_[gpu.value].content();
        } else if (auto const found = recorded_contents_.find(gpu);
                   found != recorded_contents_.end()) {
            known.content = found->second;
        } else if (run_.gpu_count() == 1) {
            known.content = header_.input.content;
        }
        if (keys_ != nullptr && usable.known) {
            known.expected = parts_[gpu.value].carry_out(*usable.function, usable.column);
            known.counts = known.expected->counts;
        } else {
            report_.skip(Check::histograms, "how many keys each bucket must have is not known");
        }
        return known;
    }

    /// Checks that the steps of a sort yield sorted output.
    void verify_sorted() {
        if (keys_ == nullptr || !order_known_) {
            report_.skip(Check::output, "the order of the keys after the steps is not known");
            return;
        }
        report_.mark_checked(Check::output);
        for (GpuId gpu{0}; gpu.value < run_.gpu_count(); ++gpu.value) {
            if (!parts_[gpu.value].ascend()) {
                report_.differ(Check::output, Verdict::wrong_order)
                    .on(gpu)
                    .expect("steps that sort the keys")
                    .found("steps that leave them out of order")
                    .implies("A digit is left out, or comes in the wrong order.");
            }
        }
    }

    RecordedRun const& run_;
    RunHeader const& header_;
    InputKeys const* keys_;
    VerifyLimits const& limits_;
    Report& report_;
    Chunks chunks_;
    std::vector<PartitionedKeys> parts_; ///< [g]; empty without keys
    std::map<std::uint32_t, UsableFunction> functions_;
    std::map<GpuId, MultisetDigest> recorded_contents_; ///< set if keys are not available
    SplitChunks split_;                                 ///< after the last step
    bool order_known_ = true; ///< all steps so far were stable and could be executed
};

} // namespace

Expected<void> verify_partitions(RecordedRun const& run,
                                 InputKeys const* keys,
                                 VerifyLimits const& limits,
                                 Report& report) {
    return PartitionVerifier(run, keys, limits, report).verify();
}

} // namespace keyswap::model::verify
