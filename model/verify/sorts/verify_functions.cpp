/// \file Checks the functions that divide buckets against the sort's own rule.

#include "model/verify/sorts/sort_checks.hpp"

#include "traces/errors/hex_text.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace keyswap::model::verify {

namespace {

std::string image_text(KeyImage image) {
    return "0x" + (image.high == 0 ? hex_text(image.low)
                                   : hex_text(image.high) + "_" + hex_text(image.low));
}

std::string splitter_text(SplitterBuckets const& splitters, std::size_t index) {
    if (index >= splitters.splitters.size()) {
        return "no splitter " + std::to_string(index + 1);
    }
    bool const own_bucket = index < splitters.equality.size() && splitters.equality[index];
    return "splitter " + std::to_string(index + 1) + " at " +
           image_text(splitters.splitters[index]) + (own_bucket ? " with a bucket of its own" : "");
}

/// Describes a function by the first place in which it differs from another.
std::string function_text(BucketFunction const& function, BucketFunction const& other) {
    auto const* const splitters = std::get_if<SplitterBuckets>(&function.rule);
    auto const* const others = std::get_if<SplitterBuckets>(&other.rule);
    std::string const buckets = std::to_string(function.buckets) + " buckets";
    if (auto const* const delta = std::get_if<DeltaBuckets>(&function.rule)) {
        return buckets + " of width " + image_text(delta->width) + " from " +
               image_text(delta->origin) + " on";
    }
    if (splitters == nullptr) {
        return buckets + " of another rule";
    }
    if (others == nullptr) {
        return buckets + " between splitters";
    }
    std::size_t const most = std::max(splitters->splitters.size(), others->splitters.size());
    for (std::size_t i = 0; i < most; ++i) {
        std::string text = splitter_text(*splitters, i);
        if (text != splitter_text(*others, i)) {
            return text;
        }
    }
    return buckets + (splitters->tie == Tie::left ? ", splitters below their buckets' ends"
                                                  : ", splitters where buckets begin");
}

Difference wrong_function(BucketPrefix bucket, Verdict verdict = Verdict::wrong_plan) {
    return differ(Check::functions, verdict)
        .in_pass(pass_after(bucket))
        .in(bucket)
        .implies("Buckets hold other keys than the sort's rule gives them.");
}

/// The functions that the plan's passes chose, by the bucket that they divide.
std::map<BucketPrefix, BucketFunction const*> planned_functions(Plan const& plan) {
    std::map<BucketPrefix, BucketFunction const*> functions;
    for (PassPlan const& pass : plan.passes) {
        for (std::size_t i = 0; i < pass.functions.size(); ++i) {
            functions[pass.refined[i].bucket] = &pass.functions[i];
        }
    }
    return functions;
}

void verify_names(RecordedRun const& run, Report& report) {
    std::map<BucketPrefix, std::uint32_t> id_of;
    std::set<std::uint32_t> ids;
    for (BucketFunctionRecord const& record : run.functions) {
        if (!ids.insert(record.id).second || !id_of.emplace(record.bucket, record.id).second) {
            report.add(wrong_function(record.bucket)
                           .expect("one function")
                           .found("another one with the same number or for the same bucket")
                           .implies("It is unclear which one divided the bucket."));
        }
    }
    for (HistogramRecord const& record : run.histograms) {
        auto const found = id_of.find(record.bucket);
        auto const expected =
            found == id_of.end() ? std::nullopt : std::optional<std::uint32_t>(found->second);
        if (record.function != expected) {
            auto const text = [](std::optional<std::uint32_t> const& id) {
                return id ? "function " + std::to_string(*id) : "a digit";
            };
            report.add(wrong_function(record.bucket, Verdict::wrong_execution)
                           .on(record.gpu)
                           .expect("counts by " + text(expected))
                           .found("by " + text(record.function)));
        }
    }
}

} // namespace

void verify_functions(RecordedRun const& run, Plan const& plan, Report& report) {
    report.mark_checked(Check::functions);
    verify_names(run, report);
    auto planned = planned_functions(plan);
    for (BucketFunctionRecord const& record : run.functions) {
        auto const found = planned.find(record.bucket);
        Difference difference = wrong_function(record.bucket);
        if (found == planned.end()) {
            report.add(difference.expect("no function, as the bucket is not divided by one")
                           .found(function_text(record.function, {})));
            continue;
        }
        BucketFunction const& expected = *found->second;
        if (record.function != expected) {
            report.add(difference.expect(function_text(expected, record.function))
                           .found(function_text(record.function, expected)));
        }
        planned.erase(found);
    }
    for (auto const& [bucket, function] : planned) {
        report.add(wrong_function(bucket, Verdict::incomplete_trace)
                       .expect(function_text(*function, {}))
                       .found("no function")
                       .implies("Which keys its children hold is unclear."));
    }
}

} // namespace keyswap::model::verify
