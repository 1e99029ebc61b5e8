// posenc-train FOLDER: trains a reader for every encoding of text and both masks, and writes the weights and
// index.json, which says what they reach. The same bytes on every machine.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "posenc/posenc.hpp"

#include "json_writer.hpp"

namespace posenc {
namespace {

constexpr int kSentences = 2000;  // for each group of patterns
constexpr std::uint64_t kEvaluationSeed = 11;

/// Files have a limit, and tables for far distances grow with them. A sentence has none of those.
constexpr std::string_view kLargeEncoding = "deberta";
constexpr std::string_view kLargeParam = "bucket_size";
constexpr double kSmallerSize = 64.0;

/// Names and verbs that no training has seen, as none has seen any.
const std::array<std::string, 16> kNames{"Tom",   "Jerry", "Spike", "Alice", "Bob",  "dog",  "cat", "mouse",
                                         "lions", "Q",     "猫",    "狗",    "老虎", "小明", "我",  "你"};
const std::string kVerb = "chased";

/// One reader to be trained, and what it reaches.
struct Job {
  ReaderSetup setup;
  std::string file;
  std::size_t parameters = 0;
  std::size_t bytes = 0;
  ReaderScores scores = {};
  ReaderCertainty pairs = {};
};

std::string_view mask_name(const Mask& mask) { return mask.kind == Mask::Kind::causal ? "causal" : "none"; }

std::vector<Job> jobs_for_text() {
  std::vector<Job> jobs;
  for (const EncodingInfo* info : encodings()) {
    if (info->text_positions != TextPositions::same) continue;  // made for pictures
    for (const Mask::Kind kind : {Mask::Kind::none, Mask::Kind::causal}) {
      Job job;
      job.setup.encoding.encoding = info->id;
      if (info->id == kLargeEncoding) job.setup.encoding.params.emplace(kLargeParam, kSmallerSize);
      job.setup.mask.kind = kind;
      job.file = std::string(info->id) + "." + std::string(mask_name(job.setup.mask)) + ".safetensors";
      jobs.push_back(std::move(job));
    }
  }
  return jobs;
}

void write(const std::filesystem::path& path, const void* data, std::size_t size) {
  std::ofstream out(path, std::ios::binary);
  out.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path.string());
}

void run(Job& job, const std::filesystem::path& folder) {
  Reader reader(job.setup);
  ReaderTraining training(reader);
  while (!training.done()) training.step();
  const std::vector<std::byte> file = reader.save(FloatWidth::half);
  write(folder / job.file, file.data(), file.size());
  // What is said of a file holds for the numbers in the file.
  const Reader shipped = Reader::load(file);
  job.parameters = shipped.parameters().size();
  job.bytes = file.size();
  job.scores = evaluate(shipped, kSentences, kEvaluationSeed);
  job.pairs = certainty(shipped, kNames, kVerb);
}

void show_progress(std::size_t done, const std::vector<Job>& jobs) {
  constexpr std::size_t kWidth = 40;
  const std::size_t filled = kWidth * done / jobs.size();
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::fprintf(stderr, "\r[%s] %zu of %zu", bar.c_str(), done, jobs.size());
  if (done == jobs.size()) std::fputc('\n', stderr);
}

/// Each thread takes the next job until there is none; the first error ends it all.
void run_all(std::vector<Job>& jobs, const std::filesystem::path& folder) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t done = 0;
  std::exception_ptr error;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      try {
        run(jobs[i], folder);
      } catch (...) {
        const std::lock_guard lock(mutex);
        error = std::current_exception();
        next = jobs.size();
        return;
      }
      const std::lock_guard lock(mutex);
      show_progress(++done, jobs);
    }
  };
  show_progress(0, jobs);
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
}

/// To four digits, finer than one answer more or less among kSentences sentences.
double rounded(double share) { return std::round(share * 1e4) / 1e4; }

void write(JsonWriter& json, const ReaderScore& score) {
  json.begin_object().key("sentences").value(static_cast<double>(score.sentences));
  json.key("accuracy").value(rounded(score.accuracy)).key("chance").value(rounded(score.chance)).end_object();
}

std::string index_of(const std::vector<Job>& jobs) {
  JsonWriter json;
  json.begin_array();
  for (const Job& job : jobs) {
    json.begin_object().key("file").value(job.file).key("encoding").value(job.setup.encoding.encoding);
    json.key("params").begin_object();
    for (const auto& [name, value] : job.setup.encoding.params) json.key(name).value(std::get<double>(value));
    json.end_object();
    json.key("mask").value(mask_name(job.setup.mask)).key("bytes").value(static_cast<double>(job.bytes));
    json.key("parameters").value(static_cast<double>(job.parameters));
    write(json.key("trained"), job.scores.trained);
    write(json.key("unseen"), job.scores.unseen);
    write(json.key("longer"), job.scores.longer);
    json.key("pairs").begin_object().key("mean").value(rounded(job.pairs.mean));
    json.key("worst").value(rounded(job.pairs.worst)).end_object();
    json.key("patterns").begin_object();
    for (const ReaderScore& score : job.scores.patterns) write(json.key(score.name), score);
    json.end_object().end_object();
  }
  json.end_array();
  return json.text() + "\n";
}

void print_table(const std::vector<Job>& jobs) {
  std::printf("%-22s %-7s %9s %8s %8s %8s %8s %8s %7s\n", "encoding", "mask", "trained", "chance", "unseen", "longer",
              "pairs", "worst", "bytes");
  for (const Job& job : jobs) {
    std::printf("%-22s %-7s %8.2f%% %7.2f%% %7.2f%% %7.2f%% %8.4f %8.4f %7zu\n", job.setup.encoding.encoding.c_str(),
                std::string(mask_name(job.setup.mask)).c_str(), 100.0 * job.scores.trained.accuracy,
                100.0 * job.scores.trained.chance, 100.0 * job.scores.unseen.accuracy,
                100.0 * job.scores.longer.accuracy, job.pairs.mean, job.pairs.worst, job.bytes);
  }
}

void train_all(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::vector<Job> jobs = jobs_for_text();
  run_all(jobs, folder);
  const std::string index = index_of(jobs);
  write(folder / "index.json", index.data(), index.size());
  print_table(jobs);
}

}  // namespace
}  // namespace posenc

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: posenc-train FOLDER\n", stderr);
    return 2;
  }
  try {
    posenc::train_all(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "\nposenc-train: %s\n", error.what());
    return 1;
  }
}
