// Outputs: headers, parts, names, and files that belong to others.

#include "tools/external/external_case_test.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace keyswap::tools {

TEST(ExternalSort, WritesWhereItBelongsBehindAHeader) {
    // Offsets are not page-aligned, and buffers are large enough for direct access.
    Case test(u64_keys, keys_of("uniform", 1'000'000), 16 * MiB);
    std::string const header(120, 'h');
    test.job.header = [&](std::uint64_t /*count*/) { return header; };
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_GT(result->range_count, 1U);
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), header + test.sorted);
}

TEST(ExternalSort, WritesThroughMappingsOfFilesInMemory) {
    class MappedStorage final : public Storage {
      public:
        std::atomic<std::uint64_t> mapped_bytes{0};
        bool is_in_memory(int /*descriptor*/) override { return true; }
        ssize_t
        copy_at(int descriptor, std::span<std::byte const> bytes, std::uint64_t offset) override {
            ssize_t const count = Storage::copy_at(descriptor, bytes, offset);
            mapped_bytes += count > 0 ? static_cast<std::uint64_t>(count) : 0;
            return count;
        }
        int sync(int /*descriptor*/) override { return 0; }
    };
    Case test(u64_keys, keys_of("uniform", 600'000), 16 * MiB);
    test.job.header = [](std::uint64_t /*count*/) { return std::string(120, 'h'); };
    MappedStorage storage;
    auto const result = test.run(storage);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_GT(storage.mapped_bytes, 4'000'000U);
    EXPECT_TRUE(testing::text_of(test.job.outputs[0]) == std::string(120, 'h') + test.sorted);
}

TEST(ExternalSort, WritesPartsEachCompleteOnceItHasItsName) {
    auto const keys = keys_of("uniform", 300'000);
    std::string const sorted = Case(u64_keys, keys, MiB).sorted;
    auto const make = [&](std::size_t parts) {
        auto test = std::make_unique<Case>(u64_keys, keys, MiB, sorted);
        test->job.outputs.clear();
        for (std::size_t i = 0; i < parts; ++i) {
            test->job.outputs.push_back(test->folder.path() / ("part" + std::to_string(i)));
        }
        return test;
    };
    FaultyStorage counting(FaultyStorage::Fault::dead, ~std::uint64_t{0});
    {
        auto const test = make(7);
        test->job.header = [](std::uint64_t count) { return std::to_string(count) + "\n"; };
        ASSERT_TRUE(test->run(counting));
        EXPECT_EQ(testing::text_of(test->job.outputs[0]).substr(0, 6), "42858\n");
        EXPECT_TRUE(testing::text_of(test->job.outputs[1]) ==
                    "42857\n" + test->sorted.substr(8 * 42'858, 8 * 42'857));
    }
    std::uint64_t const step = step_between(counting.calls(), 12);
    for (std::uint64_t at = step; at < counting.calls(); at += step) {
        auto const test = make(7);
        FaultyStorage dying(FaultyStorage::Fault::dead, at);
        bool const done = test->run(dying).has_value();
        std::string const so_far = outputs_of(*test);
        EXPECT_TRUE(so_far == test->sorted.substr(0, so_far.size())) << "call " << at;
        if (!done) {
            auto const result = test->run();
            ASSERT_TRUE(result) << "call " << at << ": " << result.error().message();
        }
        ASSERT_TRUE(outputs_of(*test) == test->sorted) << "call " << at;
    }
    Case few(u64_keys, keys_of("uniform", 2), MiB); // leaves one part empty
    few.job.outputs = make(3)->job.outputs;
    for (fs::path& output : few.job.outputs) {
        output = few.folder.path() / output.filename();
    }
    ASSERT_TRUE(few.run());
    EXPECT_EQ(outputs_of(few), few.sorted);
    EXPECT_EQ(testing::text_of(few.job.outputs[2]), "");
}

TEST(ExternalSort, NamesNoPartBeforeItIsComplete) {
    class LookingStorage final : public Storage {
      public:
        std::vector<std::string> named; ///< contents when renamed, in order
        int sync(int /*descriptor*/) override { return 0; }
        int rename(fs::path const& from, fs::path const& to, Existing existing) override {
            if (to.filename().string().starts_with("part")) {
                named.push_back(testing::text_of(from));
            }
            return Storage::rename(from, to, existing);
        }
    };
    Case test(u64_keys, keys_of("uniform", 300'000), MiB);
    test.job.outputs.clear();
    for (int i = 0; i < 30; ++i) {
        test.job.outputs.push_back(test.folder.path() / ("part" + std::to_string(i)));
    }
    LookingStorage storage;
    ASSERT_TRUE(test.run(storage));
    ASSERT_EQ(storage.named.size(), 30U);
    for (std::size_t i = 0; i < 30; ++i) {
        EXPECT_TRUE(storage.named[i] == test.sorted.substr(i * 80'000, 80'000)) << i;
    }
}

TEST(ExternalSort, KeepsSortsOfOneOutputApart) {
    auto const keys = keys_of("uniform", 300'000);
    Case first(u64_keys, keys, MiB);
    first.job.existing = Existing::replace;
    Case second(u64_keys, keys_of("zipf", 300'000), MiB);
    second.job.existing = Existing::replace;
    second.job.outputs = first.job.outputs;
    stop_after(first, 7'500'000); // both have placed ranges
    stop_after(second, 7'500'000);
    EXPECT_NE(first.job.partial(0), second.job.partial(0));
    ASSERT_TRUE(first.run());
    EXPECT_EQ(testing::text_of(first.job.outputs[0]), first.sorted);
    ASSERT_TRUE(second.run());
    EXPECT_EQ(testing::text_of(first.job.outputs[0]), second.sorted);
}

TEST(ExternalSort, KeepsFilesOfOthers) {
    Case const test(u64_keys, keys_of("uniform", 100'000), MiB);
    fs::path const precious = test.folder.path() / "precious";
    testing::put_text(precious, "precious");
    fs::create_symlink(precious, test.job.partial(0));
    ASSERT_TRUE(test.run());
    EXPECT_EQ(testing::text_of(precious), "precious");
    fs::remove(test.job.outputs[0]);

    fs::create_directory(test.job.scratch);
    testing::put_text(test.job.run(1), "mine");
    auto const result = test.run();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().problem, "holds 1.run, and no interrupted sort");
    EXPECT_EQ(testing::text_of(test.job.run(1)), "mine");
}

} // namespace keyswap::tools
