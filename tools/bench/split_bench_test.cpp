#include "tools/bench/split_bench.hpp"

#include "tools/text/json.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace keyswap::tools {
namespace {

BenchOptions of_operation(std::string operation) {
    BenchOptions options;
    options.operation = std::move(operation);
    return options;
}

TEST(SplitBench, CrossesTypesSizesAndBuckets) {
    BenchOptions options = of_operation("multisplit");
    options.types = {"u32", "u64"};
    options.key_counts = {"1000", "4096"};
    options.buckets = {2, 33, 256};
    options.methods = {"fused", "block"};
    auto const plan = resolve_splits(options, 2);
    ASSERT_TRUE(plan) << plan.error().message();
    ASSERT_EQ(plan->jobs.size(), 12U);
    EXPECT_EQ(plan->jobs[3].key_count, 4096U);
    EXPECT_EQ(plan->jobs[7].buckets, 33U);
    EXPECT_EQ(plan->jobs[7].key_type, KeyType::u64);
    EXPECT_EQ(plan->jobs[7].methods.size(), 2U);
}

TEST(SplitBench, TakesAllMethodsAndTheBinsOfThePaperByItself) {
    auto const splits = resolve_splits(of_operation("multisplit"), 2);
    ASSERT_TRUE(splits);
    EXPECT_EQ(splits->jobs.front().methods.size(), kernels::multisplit_methods().size());
    auto const histograms = resolve_splits(of_operation("histogram"), 2);
    ASSERT_TRUE(histograms);
    EXPECT_EQ(histograms->jobs.size(), 4U);
    EXPECT_EQ(histograms->jobs.back().buckets, 2048U);
    EXPECT_EQ(histograms->jobs.back().key_type, KeyType::f32);
}

TEST(SplitBench, RefusesWhatIsForSortsOrForTheOtherOperation) {
    auto const refused = [](std::string const& operation, auto const& change) {
        BenchOptions options = of_operation(operation);
        change(options);
        return !resolve_splits(options, 2).has_value();
    };
    EXPECT_TRUE(refused("multisplit", [](BenchOptions& o) { o.sorts = {"rmg-fast"}; }));
    EXPECT_TRUE(refused("multisplit", [](BenchOptions& o) { o.bins = {2}; }));
    EXPECT_TRUE(refused("multisplit", [](BenchOptions& o) { o.types = {"f32"}; }));
    EXPECT_TRUE(refused("multisplit", [](BenchOptions& o) { o.buckets = {1}; }));
    EXPECT_TRUE(refused("multisplit", [](BenchOptions& o) { o.methods = {"quick"}; }));
    EXPECT_TRUE(refused("multisplit", [](BenchOptions& o) { o.values = "64"; }));
    EXPECT_TRUE(refused("multisplit", [](BenchOptions& o) { o.key_counts = {"4294967296"}; }));
    EXPECT_TRUE(refused("histogram", [](BenchOptions& o) { o.buckets = {2}; }));
    EXPECT_TRUE(refused("histogram", [](BenchOptions& o) { o.bins = {8193}; }));
    EXPECT_TRUE(refused("histogram", [](BenchOptions& o) { o.residences = {"host"}; }));
    EXPECT_TRUE(refused("sssp", [](BenchOptions& /*o*/) {}));
    EXPECT_TRUE(refused("sorting", [](BenchOptions& /*o*/) {}));
}

TEST(SplitBench, OnSeveralGpusIsAShuffle) {
    BenchOptions options = of_operation("multisplit");
    options.gpu_sets = {"1,0"};
    auto const plan = resolve_splits(options, 2);
    ASSERT_TRUE(plan) << plan.error().message();
    EXPECT_EQ(plan->jobs.front().devices, (std::vector{1, 0}));
    options.gpu_sets = {"0"};
    options.gpu_count = 3;
    EXPECT_EQ(resolve_splits(options, 1)->jobs.front().devices, (std::vector{0, 0, 0}));
    options.methods = {"fused"};
    EXPECT_FALSE(resolve_splits(options, 1)) << "a shuffle takes the fastest method";
    options = of_operation("multisplit");
    options.gpu_sets = {"0,1", "1,0"};
    EXPECT_FALSE(resolve_splits(options, 2)) << "two sets";
    options.gpu_sets = {"0,2"};
    EXPECT_FALSE(resolve_splits(options, 2)) << "no such device";
    options.operation = "histogram";
    options.gpu_sets = {"0"};
    EXPECT_FALSE(resolve_splits(options, 2)) << "of one GPU";
}

TEST(SplitBench, AWrongResultIsReportedWithItsTime) {
    kernels::SplitBenchRow row;
    row.name = "fused";
    row.rule = "digit";
    row.milliseconds = {3, 1, 2};
    row.peer_ms = 4;
    SplitBenchResult result{{KeyType::u32, ValueType::none, 2'000'000, 256, {}, 3, {0}}, {row}};
    EXPECT_TRUE(result.holds());
    std::ostringstream right;
    print_split_rows(result, right);
    EXPECT_NE(right.str().find("2.000      1.0    2.00  right"), std::string::npos) << right.str();
    result.rows.front().wrong = 5;
    EXPECT_FALSE(result.holds());
    std::ostringstream wrong;
    print_split_rows(result, wrong);
    EXPECT_NE(wrong.str().find("WRONG: 5"), std::string::npos) << wrong.str();
    auto const json = split_rows_json({result});
    EXPECT_EQ(json,
              Json::array({{{"method", "fused"},
                            {"type", "u32"},
                            {"values", "none"},
                            {"rule", "digit"},
                            {"buckets", 256},
                            {"keys", 2'000'000},
                            {"gpu_count", 1},
                            {"milliseconds", {3.0, 1.0, 2.0}},
                            {"keys_per_ns", 1.0},
                            {"wrong", 5},
                            {"elsewhere", 0},
                            {"of_cub", 2.0}}}));
    result.job.value_type = ValueType::bits32;
    result.rows.front().wrong = 0;
    result.rows.front().elsewhere = 1200;
    result.rows.front().peer_ms.reset();
    EXPECT_FALSE(split_rows_json({result})[0].contains("of_cub"));
    std::ostringstream table;
    print_split_header(table);
    print_split_rows(result, table);
    EXPECT_EQ(
        table.str(),
        "  method          type val rule       buckets           n  median ms  Gkeys/s of peer"
        "  result\n"
        "  fused           u32  32  digit          256     2000000      2.000      1.0       -"
        "  right, 1,200 differences from CUB at edges\n");
}

} // namespace
} // namespace keyswap::tools
