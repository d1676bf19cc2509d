#include "proptests/properties/difference_messages.hpp"

#include "model/verify/record_text.hpp"
#include "traces/format/trace_line.hpp"

#include <algorithm>
#include <rapidcheck.h>
#include <regex>
#include <set>
#include <variant>

namespace keyswap::proptests {

namespace {

using model::verify::Difference;
using model::verify::RecordedRun;

/// True for a range that ends before it begins, such as "[9, 3)".
bool ends_before_it_begins(std::string const& text) {
    static std::regex const range(R"(\[(\d+), (\d+)\))");
    for (std::sregex_iterator at(text.begin(), text.end(), range); at != std::sregex_iterator();
         ++at) {
        if (std::stoull((*at)[1]) > std::stoull((*at)[2])) {
            return true;
        }
    }
    return false;
}

/// Alphanumeric words that contain a digit.
std::set<std::string> numbers_of(std::string const& text) {
    static std::regex const number(R"(\b[0-9a-f]*[0-9][0-9a-f]*\b)");
    std::set<std::string> numbers;
    for (std::sregex_iterator at(text.begin(), text.end(), number); at != std::sregex_iterator();
         ++at) {
        numbers.insert(at->str());
    }
    return numbers;
}

std::set<std::string> recorded_numbers(RecordedRun const& run) {
    std::set<std::string> numbers;
    for (TraceRecord const& record : model::verify::records_of(run)) {
        numbers.merge(numbers_of(encode_line(record, run.header.version)));
        if (auto const* const digest = std::get_if<DigestRecord>(&record)) {
            numbers.merge(numbers_of(model::verify::digest_text(digest->digest)));
        }
    }
    return numbers;
}

} // namespace

void assert_messages_consistent(model::verify::Report const& report) {
    static std::regex const place(R"((step \d+( by [a-z0-9x-]+)?|function \d+|round \d+)?)");
    for (Difference const& difference : report.differences) {
        RC_LOG(sentence_of(difference));
        RC_ASSERT(!difference.expected.empty());
        RC_ASSERT(!difference.recorded.empty());
        RC_ASSERT(difference.expected != difference.recorded);
        RC_ASSERT(!ends_before_it_begins(difference.expected));
        RC_ASSERT(std::regex_match(difference.where, place));
        if (difference.verdict == model::verify::Verdict::wrong_input) {
            RC_ASSERT(std::ranges::count(report.checked, difference.check) == 1);
        }
    }
}

void assert_sides_are_right(RecordedRun const& right,
                            RecordedRun const& changed,
                            model::verify::Report const& report) {
    std::set<std::string> const of_right = recorded_numbers(right);
    for (std::string const& number : recorded_numbers(changed)) {
        if (of_right.contains(number)) {
            continue;
        }
        for (Difference const& difference : report.differences) {
            RC_LOG(number + ": " + sentence_of(difference));
            RC_ASSERT(!numbers_of(difference.expected).contains(number) ||
                      numbers_of(difference.recorded).contains(number));
        }
    }
}

} // namespace keyswap::proptests
