/// \file Compares output of `check` and `record` for wrong outputs of many kinds, and of `verify`
/// for traces, with recorded texts.

#include "tools/testing/recorded_answers.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

template <class Key>
std::string bytes_of(std::vector<Key> const& keys) {
    return {reinterpret_cast<char const*>(keys.data()), keys.size() * sizeof(Key)};
}

/// Two hundred keys of both signs, with a few duplicates.
template <class Key>
std::vector<Key> some_keys() {
    std::vector<Key> keys(200);
    std::uint64_t state = 7;
    for (Key& key : keys) {
        state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
        key = static_cast<Key>(static_cast<std::int64_t>(state) >> 20);
    }
    std::copy_n(keys.begin(), 10, keys.begin() + 100);
    return keys;
}

template <class Key>
Key swapped_bytes(Key key) {
    std::array<char, sizeof(Key)> bytes{};
    std::memcpy(bytes.data(), &key, sizeof(Key));
    std::ranges::reverse(bytes);
    std::memcpy(&key, bytes.data(), sizeof(Key));
    return key;
}

template <class Key>
struct Mistake {
    char const* name;
    std::function<void(std::vector<Key>&)> make; ///< applied to the sorted keys
};

template <class Key>
std::vector<Mistake<Key>> mistakes_of(std::vector<Key> const& input) {
    using Keys = std::vector<Key>;
    std::vector<Mistake<Key>> mistakes{
        {"sorted", [](Keys&) {}},
        {"reversed", [](Keys& keys) { std::ranges::reverse(keys); }},
        {"rotated", [](Keys& keys) { std::rotate(keys.begin(), keys.begin() + 50, keys.end()); }},
        {"two exchanged", [](Keys& keys) { std::swap(keys[20], keys[180]); }},
        {"the input", [&input](Keys& keys) { keys = input; }},
        {"one lost", [](Keys& keys) { keys.erase(keys.begin() + 77); }},
        {"one doubled", [](Keys& keys) { keys.insert(keys.begin() + 77, keys[77]); }},
        {"one changed", [](Keys& keys) { keys[77] = keys[76]; }},
        {"a block lost", [](Keys& keys) { keys.erase(keys.begin() + 30, keys.begin() + 60); }},
        {"a block twice",
         [](Keys& keys) {
             Keys const block(keys.begin() + 30, keys.begin() + 60);
             keys.insert(keys.begin() + 60, block.begin(), block.end());
         }},
        {"a block zeroed",
         [](Keys& keys) { std::fill(keys.begin() + 40, keys.begin() + 100, Key{0}); }},
        {"a block of the input",
         [&input](Keys& keys) { std::copy_n(input.begin() + 40, 60, keys.begin() + 40); }},
        {"chunks of four",
         [&input](Keys& keys) {
             keys = input;
             for (int chunk = 0; chunk < 4; ++chunk) {
                 std::sort(keys.begin() + 50 * chunk, keys.begin() + 50 * (chunk + 1));
             }
         }},
        {"chunks exchanged",
         [](Keys& keys) { std::swap_ranges(keys.begin(), keys.begin() + 50, keys.begin() + 100); }},
        {"by bytes",
         [](Keys& keys) {
             std::ranges::sort(keys, {}, [](Key key) {
                 std::array<unsigned char, sizeof(Key)> bytes{};
                 std::memcpy(bytes.data(), &key, sizeof(Key));
                 return bytes;
             });
         }},
        {"bytes swapped",
         [](Keys& keys) { std::ranges::transform(keys, keys.begin(), swapped_bytes<Key>); }},
        {"nothing", [](Keys& keys) { keys.clear(); }}};
    if constexpr (std::is_integral_v<Key>) {
        mistakes.push_back({"a bit cleared", [](Keys& keys) {
                                std::ranges::transform(keys, keys.begin(), [](Key key) {
                                    return static_cast<Key>(key & ~Key{1});
                                });
                            }});
        mistakes.push_back({"a byte left", [](Keys& keys) {
                                std::ranges::transform(keys, keys.begin(), [](Key key) {
                                    return static_cast<Key>(key & 255);
                                });
                            }});
        mistakes.push_back({"without sign", [](Keys& keys) {
                                std::ranges::sort(keys, {}, [](Key key) {
                                    return static_cast<std::make_unsigned_t<Key>>(key);
                                });
                            }});
    } else {
        mistakes.push_back({"rounded", [](Keys& keys) {
                                std::ranges::transform(keys, keys.begin(), [](Key key) {
                                    return static_cast<Key>(
                                        static_cast<std::int32_t>(key / 1'000'000));
                                });
                            }});
        mistakes.push_back(
            {"by bits", [](Keys& keys) {
                 std::ranges::sort(keys, {}, [](Key key) {
                     return std::bit_cast<
                         std::conditional_t<sizeof(Key) == 4, std::int32_t, std::int64_t>>(key);
                 });
             }});
    }
    return mistakes;
}

class RecordedChecks : public RecordedAnswers {
  protected:
    template <class Key>
    void check_mistakes(std::string const& type) {
        auto const input = some_keys<Key>();
        put("in.raw", bytes_of(input));
        for (Mistake<Key> const& mistake : mistakes_of(input)) {
            auto output = input;
            std::ranges::sort(output);
            mistake.make(output);
            put("out.raw", bytes_of(output));
            add(std::string("# ") + mistake.name);
            answer("check @in.raw @out.raw --gpu-count 4 --type " + type);
        }
    }
};

TEST_F(RecordedChecks, OfWrongOutputsAreAsTheyWere) {
    check_mistakes<std::uint32_t>("u32");
    check_mistakes<std::int64_t>("i64");
    check_mistakes<float>("f32");
    check_mistakes<double>("f64");
    expect_as_recorded("wrong-outputs");
}

TEST_F(RecordedChecks, OfOrdersValuesAndBucketsAreAsTheyWere) {
    using Indices = std::vector<std::uint32_t>;
    put("floats.csv", "nan\n-0\n1.5\n0\n-inf\n-nan\n2\n");
    for (char const* const output : {"-nan\n-inf\n-0\n0\n1.5\n2\nnan\n",
                                     "-inf\n0\n-0\n1.5\n2\nnan\n-nan\n",
                                     "nan\n-nan\n-inf\n-0\n0\n1.5\n2\n",
                                     "nan\n2\n1.5\n0\n-0\n-inf\n-nan\n"}) {
        put("out.csv", output);
        for (char const* const orders : {"",
                                         " --zero-order equal",
                                         " --nan-order first",
                                         " --nan-order last",
                                         " --direction descending",
                                         " --nan-order first --direction descending"}) {
            answer("check @floats.csv @out.csv --type f32" + std::string(orders));
        }
    }
    for (Indices const& values : {Indices{3, 1, 0, 2, 4},
                                  Indices{3, 1, 2, 0, 4},
                                  Indices{3, 1, 0, 0, 4},
                                  Indices{3, 1, 0, 2, 5},
                                  Indices{3, 1, 0, 2},
                                  Indices{1, 3, 0, 2, 4}}) {
        put("values.raw", bytes_of(values));
        answer("check @keys.csv @sorted.csv --type u32 --values @values.raw --stable");
        answer("check @keys.csv @sorted.csv --type u32 --values @values.raw --hash-seed 7 --json");
    }
    put("starts.raw", bytes_of(std::vector<std::uint64_t>{0, 3}));
    put("split.csv", "3\n1\n7\n7\n9\n");
    put("ends.txt", "4\n");
    for (char const* const output : {"split", "sorted", "unsorted", "lost", "keys"}) {
        std::string const line =
            "check @keys.csv @" + std::string(output) + ".csv --type u32 --operation multisplit ";
        answer(line + "--rule splitters:@ends.txt --stable");
        answer(line + "--rule hash:3 --buckets 2 --starts @starts.raw --json");
    }
    answer("check @keys.csv @keys.csv @sorted.csv --type u32 --gpu-count 2");
    answer("check --input @keys.csv @sorted.csv --output @sorted.csv @sorted.csv --type u32");
    put("table.csv", "id,key\n1,7\n2,3\n3,7\n4,1\n5,9\n");
    answer("check @table.csv @sorted.csv --column key --type u32");
    answer("check @table.csv @sorted.csv --column 3 --type u32");
    answer("check @table.csv @sorted.csv --type u32");
    for (char const* const type : {"u8", "i16", "f16", "f64", "u128", "b128"}) {
        answer("check @keys.csv @sorted.csv --type " + std::string(type));
    }
    expect_as_recorded("orders");
}

TEST_F(RecordedChecks, OfSortsOfOthersAreAsTheyWere) {
    auto const record = [this](std::string const& command, std::vector<std::string> const& more) {
        std::vector<std::string> words{"record", "--command", command, "--folder", path("runs")};
        words.insert(words.end(), more.begin(), more.end());
        std::string shown = "record --command '" + command + "'";
        for (std::string const& word : more) {
            shown += ' ' + word;
        }
        answer(masked(shown), words);
    };
    record("cp {input} {output}",
           {"--distribution", "uniform,zero", "--keys", "0,3", "--runs", "2"});
    record("false {input} {output}", {"--keys", "5", "--distribution", "uniform"});
    record("head -c 16 {input} > {output}",
           {"--keys", "10", "--values", "32", "--record", path("foreign.trace"), "--force"});
    record("head -c 16 {input} > {output}", {"--keys", "10", "--record", path("foreign.trace")});
    record("kill -9 $$ # {input} {output}", {"--keys", "5", "--stop-after", "1", "--runs", "3"});
    record("cp {input} {output}", {"--zoo=OneKey,Reversed", "--type", "f32"});
    record("cp {input} {output}", {"--zoo=Reversed", "--runs", "1"});
    record("cp {input} {output}", {"--zoo=NoSuch"});
    record("cp {input} {output}", {"--keys", "5", "--direction", "descending"});
    answer("verify @foreign.trace --all");
    page("report @foreign.trace --json");
    answer("record");
    record("mysort", {"--keys", "5"});
    record("mysort {input}", {"--keys", "5"});
    answer("record --library @keys.csv --keys 5 --folder @runs");
    answer("record --library @absent.so --keys 5 --folder @runs");
    expect_as_recorded("foreign");
}

TEST_F(RecordedChecks, OfTracesAreAsTheyWere) {
    prepare("sort @keys.csv --type u32 --gpu-count 2 --record @run.trace");
    prepare("sort @keys.csv --type u32 --gpu-count 2 --digit-bits 4 --record @other.trace");
    std::string const right = text("run.trace");
    auto const lines = testing::lines_of(right);
    // Removes, duplicates or changes a line; the checksum detects the change.
    for (std::size_t i = 0; i < lines.size(); i += 3) {
        std::string lost;
        std::string twice;
        std::string changed;
        for (std::size_t line = 0; line < lines.size(); ++line) {
            lost += line == i ? "" : lines[line] + "\n";
            twice += lines[line] + "\n" + (line == i ? lines[line] + "\n" : "");
            std::string other = lines[line];
            other[other.size() / 2] ^= 1;
            changed += (line == i ? other : lines[line]) + "\n";
        }
        add("# line " + std::to_string(i + 1));
        for (std::string const& damaged : {lost, twice, changed}) {
            put("damaged.trace", damaged);
            answer("verify @damaged.trace --all");
        }
    }
    put("cut.trace", right.substr(0, right.size() / 2));
    put("empty.trace", "");
    put("newer.trace", [&right] {
        std::string newer = right;
        newer.replace(newer.find("\"version\":") + 10, 1, "9");
        return newer;
    }());
    for (char const* const name : {"cut", "empty", "newer", "absent"}) {
        answer("verify @" + std::string(name) + ".trace");
    }
    answer("verify @run.trace @run.trace @other.trace --junit @results.xml");
    file("results.xml");
    answer("verify @run.trace @other.trace --json");
    answer("verify @run.trace --ranks");
    answer("verify @run.trace --records-only --accept-incomplete");
    put("rank0.csv", "rank,peer,sent_bytes,received_bytes\n0,0,4,4\n0,1,8,12\n");
    put("rank1.csv", "rank,peer,sent_bytes,received_bytes\n1,1,4,4\n1,0,12,8\n");
    put("wrong1.csv", "rank,peer,sent_bytes,received_bytes\n1,1,4,5\n1,0,12,7\n");
    put("other.csv", "rank,peer,sent\n1,1,4\n");
    for (char const* const second : {"rank1", "wrong1", "other", "absent"}) {
        answer("verify --exchange @rank0.csv @" + std::string(second) + ".csv");
        answer("verify --exchange @rank0.csv @" + std::string(second) + ".csv --json");
    }
    answer("verify --exchange @rank0.csv");
    // Some methods do not support so many buckets.
    for (std::string const buckets : {"40", "5000"}) {
        answer(
            "multisplit --distribution uniform --keys 2000 --rule delta --method all --buckets " +
            buckets + " --record @all.trace --force");
        answer("verify @all.trace");
    }
    // More differing pairs, and more ranks without rows, than are shown by default.
    std::string many = "rank,peer,sent_bytes,received_bytes\n";
    for (int rank = 0; rank < 4; ++rank) {
        for (int peer = 0; peer < 16; ++peer) {
            many += std::to_string(rank) + "," + std::to_string(peer) + "," +
                    std::to_string(4 * rank) + "," + std::to_string(8 * peer) + "\n";
        }
    }
    put("many.csv", many);
    answer("verify --exchange @many.csv");
    answer("verify --exchange @many.csv --all");
    expect_as_recorded("traces");
}

} // namespace
} // namespace keyswap::tools
