/// \file Properties of the reference model.

#include "proptests/properties/case_generators.hpp"
#include "proptests/properties/model_check.hpp"
#include "proptests/properties/saved_cases.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace keyswap::proptests {
namespace {

/// Folders of saved counterexamples: the repository's, then this machine's.
std::vector<std::filesystem::path> case_folders() {
    char const* const own = std::getenv("KEYSWAP_COUNTEREXAMPLES");
    return {KEYSWAP_CASES_DIR, own != nullptr ? own : KEYSWAP_FOUND_CASES_DIR};
}

void expect_holds(PropertyOutcome const& outcome) {
    EXPECT_TRUE(outcome.holds) << outcome.problem << "\ncase: "
                               << (outcome.counterexample ? to_text(*outcome.counterexample) : "")
                               << "\nsaved: " << outcome.saved;
}

CaseCheck const rmg_is_right = [](SortCase const& sort_case) { return check_rmg(sort_case); };

TEST(RmgSort, SortsAnythingByOneSwapWithinItsBounds) {
    expect_holds(
        check_cases("RMG sort is right", case_folders(), any_sort_case(600), rmg_is_right));
}

TEST(RmgSort, SortsLowCardinalityOnManyGpus) {
    expect_holds(check_cases("RMG sort is right on few distinct keys",
                             case_folders(),
                             low_cardinality_case(2000),
                             rmg_is_right));
}

TEST(EverySort, SortsAnything) {
    for (model::Algorithm const* const algorithm : model::algorithms()) {
        expect_holds(check_cases(
            std::string(algorithm->name) + " is right",
            case_folders(),
            any_sort_case(400),
            [&](SortCase const& sort_case) { return check_sort(*algorithm, sort_case); }));
    }
}

TEST(SavedCases, SurviveTheirText) {
    EXPECT_TRUE(rc::check("a case survives its text", [] {
        SortCase const sort_case = *any_sort_case(50);
        RC_ASSERT(parse_sort_case(to_text(sort_case), "case").value() == sort_case);
    }));
}

TEST(SavedCases, AFileThatIsNoneIsRefused) {
    EXPECT_FALSE(parse_sort_case("{\"gpus\":2}", "x.case.json").has_value());
    EXPECT_FALSE(parse_sort_case("[", "x.case.json").has_value());
    std::string const good =
        R"({"type":"u32","gpus":2,"digit_bits":8,"tolerance_ppm":0,"fuse_ppm":0,"images":[1]})";
    ASSERT_TRUE(parse_sort_case(good, "x.case.json").has_value());
    using Change = std::pair<std::string, std::string>;
    for (auto const& [from, to] : {Change{"[1]", "[-1]"},
                                   Change{"[1]", "[1.5]"},
                                   Change{"[1]", "[4294967296]"},
                                   Change{"[1]", "1"},
                                   Change{"\"u32\"", "32"},
                                   Change{"\"u32\"", "\"u33\""},
                                   Change{"\"gpus\":2", "\"gpus\":4294967298"},
                                   Change{"\"digit_bits\":8", "\"digit_bits\":77"}}) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        auto const refused = parse_sort_case(text, "x.case.json");
        ASSERT_FALSE(refused.has_value()) << to;
        EXPECT_EQ(refused.error().subject, "x.case.json");
        EXPECT_EQ(refused.error().problem.find("json.exception"), std::string::npos);
    }
}

} // namespace
} // namespace keyswap::proptests
