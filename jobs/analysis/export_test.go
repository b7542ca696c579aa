package analysis

// What the tests of this package see of it.
const AnalysisAttempts = analysisAttempts
