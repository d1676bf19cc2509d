#include "tools/testing/command_words.hpp"

#include "tools/text/number_text.hpp"

#include <algorithm>

namespace keyswap::tools::testing {

namespace {

/// A line each.
std::string lines_of(ToldJson const& sentences) {
    std::string text;
    for (ToldJson const& sentence : sentences.each()) {
        text += sentence.text() + "\n";
    }
    return text;
}

/// What is known of "copy 3, pass 2, bucket 2:0x5, GPU 3"; "the run as a whole" of nothing.
std::string difference_words(ToldJson const& difference) {
    ToldJson const place = difference["place"];
    std::string where;
    auto const add = [&where](std::string const& text) {
        where += (where.empty() ? "" : ", ") + text;
    };
    if (!place.is_null("where")) {
        add(place["where"].text());
    }
    if (!place.is_null("pass")) {
        add("pass " + place["pass"].shown());
    }
    if (!place.is_null("bucket")) {
        std::uint64_t const pass = place["bucket"]["pass"].count();
        std::uint64_t const prefix = place["bucket"]["prefix"].count();
        add(pass == 0 && prefix == 0 ? "the whole input"
                                     : formatted("bucket %llu:0x%llx",
                                                 static_cast<unsigned long long>(pass),
                                                 static_cast<unsigned long long>(prefix)));
    }
    if (!place.is_null("gpu")) {
        add("GPU " + place["gpu"].shown());
    }
    std::string const consequence = difference["consequence"].text();
    return difference["verdict"].text() + " in " + difference["check"].text() + ", " +
           (where.empty() ? "the run as a whole" : where) + ": expected " +
           difference["expected"].text() + ", recorded " + difference["recorded"].text() + "." +
           (consequence.empty() ? "" : " " + consequence);
}

/// Below a tenth a digit more says something.
std::string share_words(double share) {
    return printed(share < 0.1 ? "%.2f %%" : "%.0f %%", 100 * share);
}

std::string trace_words(ToldJson const& trace) {
    std::string text = trace["name"].text() + ": " + trace["run"].text() + "\n";
    auto const differences = trace["differences"].each();
    if (trace["holds"].flag()) {
        text += "agrees with the model in " + trace["checked"].joined(", ") + ".\n";
    } else {
        text += "First difference: ";
        for (ToldJson const& difference : differences) {
            text += difference_words(difference) + "\n";
        }
        std::string verdicts;
        for (std::string const& name : trace["verdicts"].names()) {
            std::string const count = trace["verdicts"][name].shown();
            if (count != "0") {
                verdicts += (verdicts.empty() ? " " : ", ") + name + " (" + count + ")";
            }
        }
        std::uint64_t const more = trace["difference_count"].count() - differences.size();
        text += "Verdicts:" + verdicts + "." +
                (more > 0 ? " --all prints the other " + std::to_string(more) + ".\n" : "\n");
    }
    for (ToldJson const& one : trace["unchecked"].each()) {
        text += "Not checked: " + one["check"].text() + " (" + one["reason"].text() + ").\n";
    }
    return text;
}

} // namespace

std::string verify_words(ToldJson const& told) {
    std::string text;
    auto const traces = told["traces"].each();
    std::uint64_t fine = 0;
    for (ToldJson const& trace : traces) {
        text += trace_words(trace);
        fine += trace["holds"].flag() ? 1 : 0;
    }
    return text + "verify: " + format_count(fine) + " of " + counted(traces.size(), "trace") +
           " without a violation\n";
}

std::string check_words(ToldJson const& told) {
    ToldJson const config = told["config"];
    std::string text = "check: " + config["output"].text() + " against " + config["input"].text() +
                       ", " + config["type"].text() + ", " + config["direction"].text() + "\n";
    for (ToldJson const& heading : told["headings"].each()) {
        text += "Taken for a heading: the first row of " + heading.text() + ".\n";
    }
    text += lines_of(told["sentences"]);
    return told.is_null("pairs") ? text : text + lines_of(told["pairs"]["sentences"]);
}

std::string record_words(ToldJson const& told) {
    ToldJson const config = told["config"];
    std::uint64_t const runs = told["runs"].count();
    std::uint64_t const failures = told["failures"].count();
    std::uint64_t const seed = config["seed"].count();
    std::string text =
        "record: " + config["program"].text() + ", " + format_count(config["keys"].count()) + " " +
        config["type"].text() + " keys, " + config["distribution"].text() +
        (runs == 1 ? ", seed " + std::to_string(seed)
                   : ", seeds " + std::to_string(seed) + " to " + std::to_string(seed + runs - 1)) +
        ", " + config["direction"].text() + "\n";
    text += std::to_string(failures) + " of " + std::to_string(runs) +
            (runs == 1 ? " run" : " runs") + " failed";
    if (!told.is_null("rate_95")) {
        auto const rate = told["rate_95"].each();
        text += "; the failure rate is, with 95 % confidence, between " +
                share_words(rate[0].number()) + " and " + share_words(rate[1].number());
    }
    text += "\n";
    for (std::string const& kind : told["kinds"].names()) {
        text += told["kinds"][kind].shown() + " x " + kind + "\n";
    }
    if (!told.is_null("first_failure")) {
        ToldJson const first = told["first_failure"];
        std::string const detail = first["detail"].text();
        text += "First failure, seed " + first["seed"].shown() + ": " + first["end"].text() +
                (detail.empty() ? "" : " (" + detail + ")") + "\n" + lines_of(first["sentences"]) +
                (first.is_null("again")
                     ? ""
                     : "the same keys: " + first["again"]["failures"].shown() + " of " +
                           first["again"]["runs"].shown() + " runs failed\n") +
                "repeat: " + first["repeat"].text() + "\n";
    }
    return text;
}

} // namespace keyswap::tools::testing
