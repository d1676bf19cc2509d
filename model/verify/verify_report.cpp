#include "model/verify/verify_report.hpp"

#include "traces/errors/hex_text.hpp"

#include <algorithm>
#include <array>

namespace keyswap::model::verify {

std::string_view to_string(Verdict verdict) {
    constexpr std::array<std::string_view, 9> names{"wrong input",
                                                    "wrong plan",
                                                    "wrong execution",
                                                    "wrong order",
                                                    "lost or doubled keys",
                                                    "imbalance",
                                                    "incomplete trace",
                                                    "nothing checked",
                                                    "not deterministic"};
    static_assert(static_cast<std::size_t>(Verdict::not_deterministic) + 1 == names.size());
    return names[static_cast<std::size_t>(verdict)];
}

std::string_view to_string(Check check) {
    constexpr std::array<std::string_view, 22> names{"input",
                                                     "memory",
                                                     "key ranges",
                                                     "runs",
                                                     "bucket functions",
                                                     "histograms",
                                                     "placements",
                                                     "partitions",
                                                     "digests after a step",
                                                     "rounds",
                                                     "ownership",
                                                     "balance",
                                                     "digests before the swap",
                                                     "copies",
                                                     "digests after the swap",
                                                     "sort ranges",
                                                     "merges",
                                                     "digests after the sort",
                                                     "the output",
                                                     "phase times",
                                                     "the run's own verdicts",
                                                     "determinism"};
    static_assert(static_cast<std::size_t>(Check::determinism) + 1 == names.size());
    return names[static_cast<std::size_t>(check)];
}

std::string bucket_text(BucketPrefix bucket) {
    if (bucket == BucketPrefix{}) {
        return "the whole input";
    }
    return std::to_string(bucket.pass) + ":0x" + hex_text(bucket.prefix);
}

Difference& Difference::in_pass(int number) {
    pass = number;
    return *this;
}
Difference& Difference::in(std::optional<BucketPrefix> place) {
    bucket = place;
    return *this;
}
Difference& Difference::on(std::optional<GpuId> place) {
    gpu = place;
    return *this;
}
Difference& Difference::at(std::string place) {
    where = std::move(place);
    return *this;
}
Difference& Difference::expect(std::string text) {
    expected = std::move(text);
    return *this;
}
Difference& Difference::found(std::string text) {
    recorded = std::move(text);
    return *this;
}
Difference& Difference::implies(std::string text) {
    consequence = std::move(text);
    return *this;
}

Difference differ(Check check, Verdict verdict) {
    Difference difference;
    difference.check = check;
    difference.verdict = verdict;
    return difference;
}

Difference of_another_algorithm(Check check) {
    return differ(check).found("some").implies(
        "The trace is of another algorithm than its header says.");
}

Difference lacks(Check check) {
    return differ(check, Verdict::incomplete_trace)
        .found("none")
        .implies("This part of the run is not recorded.");
}

void Report::mark_checked(Check check) {
    auto const place = std::ranges::lower_bound(checked, check);
    if (place == checked.end() || *place != check) {
        checked.insert(place, check);
    }
}

void Report::skip(Check check, std::string reason) {
    Unchecked entry{check, std::move(reason)};
    if (std::ranges::find(unchecked, entry) == unchecked.end()) {
        unchecked.push_back(std::move(entry));
    }
}

std::string place_of(Difference const& difference) {
    std::string place;
    auto const add = [&place](std::string const& part) {
        place += (place.empty() ? "" : ", ") + part;
    };
    if (!difference.where.empty()) {
        add(difference.where);
    }
    if (difference.pass) {
        add("pass " + std::to_string(*difference.pass));
    }
    if (difference.bucket) {
        bool const is_whole = *difference.bucket == BucketPrefix{};
        add((is_whole ? "" : "bucket ") + bucket_text(*difference.bucket));
    }
    if (difference.gpu) {
        add("GPU " + std::to_string(difference.gpu->value));
    }
    return place.empty() ? std::string("the run as a whole") : place;
}

std::string sentence_of(Difference const& difference) {
    std::string text = std::string(to_string(difference.verdict)) + " in " +
                       std::string(to_string(difference.check)) + ", " + place_of(difference) +
                       ": expected " + difference.expected + ", recorded " + difference.recorded +
                       ".";
    if (!difference.consequence.empty()) {
        text += " " + difference.consequence;
    }
    return text;
}

std::size_t count_of(Report const& report, Verdict verdict) {
    return static_cast<std::size_t>(std::ranges::count(
        report.differences, verdict, [](Difference const& d) { return d.verdict; }));
}

std::span<Verdict const> verdicts() {
    static constexpr auto all = [] {
        std::array<Verdict, static_cast<std::size_t>(Verdict::not_deterministic) + 1> each{};
        for (std::size_t i = 0; i < each.size(); ++i) {
            each[i] = static_cast<Verdict>(i);
        }
        return each;
    }();
    return all;
}

} // namespace keyswap::model::verify
