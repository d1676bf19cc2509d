/// \file Every fault in splitters is found where it was made, because they are sampled again;
/// correct sorts by refinement raise no suspicion.

#include "proptests/faults/splitter_faults.hpp"

#include "proptests/faults/planted_faults.hpp"
#include "proptests/properties/reference_run.hpp"
#include "proptests/properties/verified_run.hpp"
#include "traces/catalog/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace keyswap::proptests {
namespace {

/// Headers of sample sort. Few ways and zero tolerance lead to many passes.
rc::Gen<RunHeader> any_sample_header() {
    return rc::gen::map(
        rc::gen::pair(any_run_header(600),
                      rc::gen::pair(rc::gen::element<std::uint64_t>(2, 3, 8, 100, 256),
                                    rc::gen::element<std::uint64_t>(1, 8, 32))),
        [](std::pair<RunHeader, std::pair<std::uint64_t, std::uint64_t>> const& drawn) {
            RunHeader header = drawn.first;
            header.version = 2;
            header.algorithm = "sample-sort";
            header.key_type = every_key_type[header.input.seed % every_key_type.size()];
            header.parameters = {{"ways", drawn.second.first},
                                 {"oversampling", drawn.second.second},
                                 {"sample-seed", header.input.seed % 5}};
            return header;
        });
}

TEST(SplitterFaults, AreFoundInTheFunctionsWhereverTheyArePlanted) {
    expect_found(
        splitter_faults(),
        [] { return record_reference(*any_sample_header()); },
        model::verify::Check::functions);
}

TEST(SplitterFaults, RunsWithoutOneAreNotSuspected) {
    for (char const* const algorithm : {"sample-sort", "quicksort", "uniform-buckets"}) {
        SCOPED_TRACE(algorithm);
        EXPECT_TRUE(rc::check("a correct run agrees with the model", [algorithm] {
            RunHeader header = *any_sample_header();
            if (algorithm != header.algorithm) {
                header.algorithm = algorithm;
                header.parameters.clear();
                auto const taken = find_algorithm_info(algorithm).value()->key_types;
                header.key_type = taken[header.input.seed % taken.size()];
            }
            auto const run = record_reference(header);
            RC_ASSERT(run.has_value());
            assert_holds(*run);
        }));
    }
}

/// Without the keys no splitters can be sampled; the report says so and checks everything else.
TEST(SplitterFaults, WithoutKeysFunctionsAreTakenAsTheyAre) {
    std::size_t planted = 0;
    EXPECT_TRUE(rc::check("recorded functions give the plan", [&planted] {
        auto run = record_reference(*any_sample_header());
        RC_ASSERT(run.has_value());
        run->header.input.generator_version = 99;
        auto const untouched = assert_holds(*run);
        RC_ASSERT(run->functions.empty() ||
                  std::ranges::any_of(untouched.unchecked, [](auto const& unchecked) {
                      return unchecked.check == model::verify::Check::functions;
                  }));
        if (run->copies.size() > 1) {
            ++planted;
            run->copies.pop_back();
            assert_differs(*run);
        }
    }));
    EXPECT_GE(planted, 10U);
}

} // namespace
} // namespace keyswap::proptests
